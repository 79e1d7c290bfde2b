package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.util.List;

/** One client of a contestant, which holds leases for long. */
interface Keeper extends AutoCloseable {
    /** Acquires all of these and keeps them until it is closed. */
    void keep(List<String> keys) throws Exception;

    /** How many of them it has lost since, as far as it knows. */
    long lost();

    @Override
    void close() throws SQLException;
}
