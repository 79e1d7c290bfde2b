package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.util.List;

/** One client of a contestant. */
interface Node extends AutoCloseable {
    /** What one thread uses; it is used by one thread at a time. */
    Worker worker() throws Exception;

    /** Acquires all of these and keeps them until the node is closed. */
    default void keep(List<String> keys) throws Exception {
        throw new UnsupportedOperationException("It cannot keep leases.");
    }

    /** How many leases it has lost since {@link #keep}, as far as it knows. */
    default long lost() {
        return 0;
    }

    @Override
    void close() throws SQLException;
}
