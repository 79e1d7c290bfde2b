package dev.leasehold.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;

/** Whether something like pgbouncer stands between us and PostgreSQL, and how to get along with it. */
final class Pooler {
    private Pooler() {}

    /**
     * A pooler makes up the process id it names at the start of a connection; the server's own answer differs. In its
     * transaction mode, settings and notifications of a session do not work.
     */
    static boolean isBetween(Connection connection) throws SQLException {
        if (!connection.isWrapperFor(PGConnection.class)) {
            return true; // Another driver: nothing is known, so nothing is relied on.
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT pg_backend_pid()")) {
            return rows.next()
                    && rows.getInt(1) != connection.unwrap(PGConnection.class).getBackendPID();
        }
    }

    /** Statements prepared on one server connection are not there on the next. */
    static void prepare(Loan loan) throws SQLException {
        if (loan.connection().isWrapperFor(PGConnection.class)) {
            PGConnection connection = loan.connection().unwrap(PGConnection.class);
            int before = connection.getPrepareThreshold();
            loan.undoBy(() -> connection.setPrepareThreshold(before));
            connection.setPrepareThreshold(0);
        }
    }
}
