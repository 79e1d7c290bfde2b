package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A rival's connection: its transactions, and whether another session waits for them. */
final class RivalSession implements AutoCloseable {
    final Dialect dialect;
    private final Connection connection;
    private final String number;
    private boolean isOpen;
    private long begun;

    RivalSession(DataSource source) throws SQLException {
        connection = source.getConnection();
        dialect = Dialect.of(connection.getMetaData().getDatabaseProductName());
        if (dialect != Dialect.SQLITE) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        connection.setAutoCommit(true);
        number = dialect == Dialect.MYSQL ? ask("SELECT connection_id()") : "";
    }

    void begin() throws SQLException {
        if (dialect == Dialect.SQLITE) {
            execute("BEGIN IMMEDIATE");
        } else {
            connection.setAutoCommit(false);
        }
        isOpen = true;
        begun = System.nanoTime();
    }

    void end(boolean isCommitted) throws SQLException {
        if (!isOpen) {
            return;
        }
        isOpen = false;
        if (dialect == Dialect.SQLITE) {
            execute(isCommitted ? "COMMIT" : "ROLLBACK");
            return;
        }
        if (isCommitted) {
            connection.commit();
        } else {
            connection.rollback();
        }
        connection.setAutoCommit(true);
    }

    /** SQLite does not tell who waits for its one lock. */
    boolean isWaitedFor() throws SQLException {
        return switch (dialect) {
            case POSTGRESQL ->
                ask("SELECT EXISTS (SELECT 1 FROM pg_locks w WHERE NOT w.granted"
                                + " AND pg_backend_pid() = ANY (pg_blocking_pids(w.pid)))")
                        .equals("t");
            case MYSQL -> MariaDbWaits.isWaitedFor(connection, number, begun);
            case SQLITE -> false;
            case H2 ->
                !ask("SELECT count(*) FROM information_schema.sessions WHERE blocker_id = session_id()")
                        .equals("0");
        };
    }

    long nowMicros() throws SQLException {
        return Long.parseLong(ask("SELECT " + dialect.now));
    }

    PreparedStatement prepare(String sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }

    void update(String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(sql, values)) {
            statement.executeUpdate();
        }
    }

    String forUpdate() {
        return dialect == Dialect.SQLITE ? "" : " FOR UPDATE";
    }

    /** A key as the column keeps it. */
    Object key(Key key) {
        return dialect.keys == Dialect.Keys.BYTES ? key.utf8() : key.value();
    }

    private String ask(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return String.valueOf(rows.getString(1));
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
