package dev.leasehold.jdbc;

import dev.leasehold.tck.interleaving.Arena;
import dev.leasehold.tck.interleaving.InterleavingContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Interleavings on PostgreSQL 18")
class Postgres18InterleavingTest extends InterleavingContract {
    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.postgres(18);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Override
    protected Arena arena(Duration callLimit) {
        return SqlArena.on(database, callLimit);
    }
}
