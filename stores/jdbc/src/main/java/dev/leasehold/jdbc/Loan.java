package dev.leasehold.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.sql.DataSource;

/**
 * A connection on loan from the user's source, with the settings that it had. It goes back as it came. If that cannot be
 * done, it is closed physically, so that a pool does not lend it again. A connection that Leasehold opened itself is
 * simply closed.
 *
 * <p>Used by one thread at a time.
 */
final class Loan implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.jdbc");

    /** A connection that does not answer within this time when it is to go back is not worth waiting for. */
    private static final int PATIENCE_MILLIS = 1_000;

    private final Connection connection;
    private final boolean isOurs;
    private final Deque<Step> undoing = new ArrayDeque<>();
    private boolean isTimed;

    private Loan(Connection connection, boolean isOurs) {
        this.connection = connection;
        this.isOurs = isOurs;
    }

    /** A step that may fail. */
    interface Step {
        void run() throws SQLException;
    }

    /** A connection of this source. If the source is the user's, settings are noted before they are changed. */
    static Loan from(DataSource source) throws SQLException {
        return new Loan(source.getConnection(), source instanceof UrlDataSource);
    }

    /** A connection of which nothing is noted or restored. */
    static Loan asIs(Connection connection) {
        return new Loan(connection, true);
    }

    Connection connection() {
        return connection;
    }

    /** Sends one statement whose result nobody reads. */
    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Has the step run when the connection goes back, before the steps that were given earlier. */
    void undoBy(Step step) {
        if (!isOurs) {
            undoing.push(step);
        }
    }

    void setAutoCommit(boolean value) throws SQLException {
        boolean before = connection.getAutoCommit();
        undoBy(() -> connection.setAutoCommit(before));
        connection.setAutoCommit(value);
    }

    /** To be called outside a transaction. */
    void setIsolation(int value) throws SQLException {
        if (!isOurs) {
            int before = connection.getTransactionIsolation();
            // Also if it is the same: work of the user's may set another.
            undoBy(() -> connection.setTransactionIsolation(before));
            if (before == value) {
                return;
            }
        }
        connection.setTransactionIsolation(value);
    }

    void setNetworkTimeout(int millis) throws SQLException {
        if (!isOurs) {
            int before = connection.getNetworkTimeout();
            undoBy(() -> connection.setNetworkTimeout(Runnable::run, before));
            isTimed = true;
        }
        connection.setNetworkTimeout(Runnable::run, millis);
    }

    /** Sets what a dialect's greeting sets, given with its times. */
    void greet(Dialect dialect, Iterable<String> greeting) throws SQLException {
        if (!isOurs) {
            SessionSettings before = SessionSettings.read(connection, dialect);
            undoBy(() -> before.restore(this));
        }
        for (String command : greeting) {
            execute(command);
        }
    }

    /** Ends the loan, without complaint. */
    @Override
    public void close() {
        try {
            if (!isOurs) {
                undoAll();
            }
            connection.close();
        } catch (SQLException | RuntimeException e) {
            LOGGER.log(System.Logger.Level.DEBUG, "A connection could not go back as it came, so it is closed", e);
            discard();
        }
    }

    private void undoAll() throws SQLException {
        if (undoing.isEmpty()) {
            return;
        }
        if (connection.isClosed()) {
            throw new SQLException("The connection is closed.", "08003");
        }
        if (isTimed) {
            connection.setNetworkTimeout(Runnable::run, PATIENCE_MILLIS);
        }
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
        while (!undoing.isEmpty()) {
            undoing.pop().run();
        }
    }

    /**
     * Closes the connection physically. A pool may notice that only when a statement fails, so one does; then the handle
     * is closed, which makes the place in the pool free.
     */
    private void discard() {
        quietly(() -> connection.abort(Runnable::run));
        quietly(() -> connection.unwrap(Connection.class).close()); // SQLite and H2 do not abort.
        quietly(() -> execute("SELECT 1"));
        quietly(connection::close);
    }

    private static void quietly(Step step) {
        try {
            step.run();
        } catch (SQLException | RuntimeException | Error e) {
            LOGGER.log(System.Logger.Level.TRACE, "A step of closing a connection failed", e);
        }
    }
}
