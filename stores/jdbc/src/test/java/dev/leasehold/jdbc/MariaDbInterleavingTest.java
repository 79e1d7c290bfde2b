package dev.leasehold.jdbc;

import dev.leasehold.tck.interleaving.Arena;
import dev.leasehold.tck.interleaving.InterleavingContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Interleavings on MariaDB")
class MariaDbInterleavingTest extends InterleavingContract {
    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.mariaDb();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Override
    protected Arena arena(Duration callLimit) {
        return SqlArena.on(database, callLimit);
    }

    /** InnoDB shows who waits only every 100 ms, so many cells wait at once. */
    @Override
    protected int arenas() {
        return 16;
    }
}
