package dev.leasehold.benchmarks;

import java.sql.SQLException;
import javax.sql.DataSource;

/** A way to lock that is measured. */
interface Contestant {
    String name();

    /** Whether it can do this at all. */
    boolean takesPart(Cell cell, StoreKind store);

    /** Creates its tables. */
    void createTables(DataSource source, StoreKind store) throws SQLException;

    /** One client, as a process of its own would have it. */
    Node open(DataSource source, StoreKind store, Cell cell) throws Exception;

    /** An insert of free records, from a table {@code s} with their numbers {@code i}; for cell W7. */
    default String fill(StoreKind store) {
        throw new UnsupportedOperationException(name() + " keeps no free records.");
    }
}
