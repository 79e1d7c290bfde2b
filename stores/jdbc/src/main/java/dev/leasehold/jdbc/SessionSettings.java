package dev.leasehold.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The values of the settings that {@link Dialect#greeting} changes, read in one trip before it does. */
final class SessionSettings {
    private final List<String> commands;

    private SessionSettings(List<String> commands) {
        this.commands = commands;
    }

    static SessionSettings read(Connection connection, Dialect dialect) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query(dialect))) {
            List<String> commands = new ArrayList<>();
            ResultSetMetaData columns = row.getMetaData();
            boolean isThere = row.next();
            for (int i = 1; isThere && i <= columns.getColumnCount(); i++) {
                commands.add(command(dialect, columns.getColumnLabel(i), row.getString(i)));
            }
            return new SessionSettings(commands);
        }
    }

    /** Gives one row; its columns are named like the settings. */
    private static String query(Dialect dialect) {
        return switch (dialect) {
            case POSTGRESQL ->
                "SELECT current_setting('statement_timeout') AS statement_timeout,"
                        + " current_setting('lock_timeout') AS lock_timeout,"
                        + " current_setting('idle_in_transaction_session_timeout')"
                        + " AS idle_in_transaction_session_timeout,"
                        + " current_setting('plan_cache_mode') AS plan_cache_mode,"
                        + " current_setting('enable_seqscan') AS enable_seqscan,"
                        + " current_setting('enable_bitmapscan') AS enable_bitmapscan,"
                        + " current_setting('enable_hashjoin') AS enable_hashjoin,"
                        + " current_setting('enable_mergejoin') AS enable_mergejoin,"
                        + " current_setting('jit') AS jit";
            // Only MariaDB reads the comment, as in the greeting.
            case MYSQL ->
                "SELECT @@SESSION.innodb_lock_wait_timeout AS innodb_lock_wait_timeout,"
                        + " /*M! @@SESSION.max_statement_time AS max_statement_time,"
                        + " @@SESSION.idle_transaction_timeout AS idle_transaction_timeout, */"
                        + " concat('''', @@SESSION.time_zone, '''') AS time_zone";
            case SQLITE -> "SELECT timeout AS busy_timeout FROM pragma_busy_timeout";
            case H2 -> "SELECT LOCK_TIMEOUT() AS LOCK_TIMEOUT";
        };
    }

    private static String command(Dialect dialect, String setting, String value) {
        return switch (dialect) {
            case POSTGRESQL -> "SET " + setting + " = '" + value + "'";
            case MYSQL -> "SET SESSION " + setting + " = " + value;
            case SQLITE -> "PRAGMA " + setting + " = " + value;
            case H2 -> "SET " + setting + " " + value;
        };
    }

    void restore(Loan loan) throws SQLException {
        for (String command : commands) {
            loan.execute(command);
        }
    }
}
