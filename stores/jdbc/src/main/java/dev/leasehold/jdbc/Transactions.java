package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Checks and messages for transactions of the caller's. */
final class Transactions {
    /** MariaDB, with innodb_snapshot_isolation: the record has changed since it was last read. */
    private static final int SNAPSHOT_TOO_OLD = 1020;

    private Transactions() {}

    /**
     * Refuses a connection that commits by itself.
     *
     * @param verb the method that needs a transaction, such as {@code fence()}
     */
    static void require(String verb, Connection connection, Dialect dialect) throws SQLException {
        if (connection.getAutoCommit() && !(dialect == Dialect.SQLITE && isBegunByHand(connection))) {
            throw new IllegalStateException(verb + " needs a transaction: this connection commits by itself, so "
                    + (verb.equals("fence()")
                            ? "the check would protect nothing"
                            : "effect and answer would not be one")
                    + ". Call setAutoCommit(false) first.");
        }
    }

    /**
     * Whether {@code BEGIN} was sent as a statement, as programs on SQLite do that want {@code BEGIN IMMEDIATE}. The driver
     * cannot tell, but a second {@code BEGIN} is refused then. It takes no lock.
     */
    private static boolean isBegunByHand(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try {
                statement.execute("BEGIN");
            } catch (SQLException e) {
                if (e.getErrorCode() == 1) {
                    return true;
                }
                throw e;
            }
            statement.execute("ROLLBACK");
            return false;
        }
    }

    /** Says what to do if a transaction with a snapshot came too late for the record. */
    static SQLException explained(SQLException error, Key key) {
        if (!"40001".equals(error.getSQLState()) && error.getErrorCode() != SNAPSHOT_TOO_OLD) {
            return error;
        }
        return new SQLException(
                "The lease on " + key
                        + " was renewed or changed after this transaction took its snapshot. Roll back and"
                        + " try again: call fence() as the first statement of the transaction, or use READ COMMITTED. ("
                        + error.getMessage() + ")",
                error.getSQLState(),
                error.getErrorCode(),
                error);
    }
}
