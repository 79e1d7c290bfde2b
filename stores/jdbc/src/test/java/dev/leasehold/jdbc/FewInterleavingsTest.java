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

/** A small part of the matrix, for a quick look. */
@DisplayName("A few interleavings on PostgreSQL 18")
class FewInterleavingsTest extends InterleavingContract {
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

    @Override
    protected List<Cell> cells() {
        return Matrix.sample(super.cells(), 250);
    }
}
