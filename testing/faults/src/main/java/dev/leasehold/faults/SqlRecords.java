package dev.leasehold.faults;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** Records in a table, as whoever has a SQL prompt finds them. */
record SqlRecords(String url) implements Bed.Records, Bed.StoreClock {
    @Override
    public int delete() throws SQLException {
        return execute("DELETE FROM leasehold_lease");
    }

    /** Moves all expiries the other way, which is the same to the statements. */
    @Override
    public FaultCase.Evidence move(Duration by) throws SQLException {
        int moved =
                execute("UPDATE leasehold_lease SET expiry = expiry - " + by.toNanos() / 1_000 + " WHERE expiry > 0");
        return new FaultCase.Evidence(moved, "records whose expiry was moved by " + by.negated());
    }

    /** A transaction that has changed, for what a store can tell, every record and does not end. */
    Lock lock() throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            return new Lock(connection, statement.executeUpdate("UPDATE leasehold_lease SET fence = fence"));
        }
    }

    /** A transaction of somebody else's. */
    record Lock(Connection connection, int records) implements AutoCloseable {
        @Override
        public void close() throws SQLException {
            connection.rollback();
            connection.close();
        }
    }

    private int execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }
}
