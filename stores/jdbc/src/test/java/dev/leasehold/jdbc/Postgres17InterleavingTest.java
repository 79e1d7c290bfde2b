package dev.leasehold.jdbc;

import dev.leasehold.tck.interleaving.Arena;
import dev.leasehold.tck.interleaving.Cell;
import dev.leasehold.tck.interleaving.InterleavingContract;
import dev.leasehold.tck.interleaving.Matrix;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Interleavings on PostgreSQL 17")
class Postgres17InterleavingTest extends InterleavingContract {
    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.postgres(17);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Override
    protected Arena arena(Duration callLimit) {
        return SqlArena.on(database, callLimit);
    }

    /** The statements are the same as on PostgreSQL 18, which is tried in full. */
    @Override
    protected List<Cell> cells() {
        return Matrix.sample(super.cells(), 600);
    }
}
