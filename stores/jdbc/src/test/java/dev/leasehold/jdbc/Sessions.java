package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Sessions of others than the store: the user's own transactions, and strangers. */
final class Sessions {
    private Sessions() {}

    /** How a source opens a connection. */
    interface Opening {
        Connection open() throws SQLException;
    }

    /** A source of connections that are opened like this. */
    static DataSource source(Opening opening) {
        return (DataSource) Proxy.newProxyInstance(
                Sessions.class.getClassLoader(), new Class<?>[] {DataSource.class}, (source, method, arguments) -> {
                    if (method.getName().equals("getConnection")) {
                        return opening.open();
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    /** A transaction of somebody's own. */
    static Connection begin(DataSource source) throws SQLException {
        Connection connection = source.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static void execute(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection()) {
            execute(connection, sql);
        }
    }

    /** The first column of the first row, as text. */
    static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? String.valueOf(rows.getString(1)) : "nothing";
        }
    }

    static String ask(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection()) {
            return ask(connection, sql);
        }
    }

    /** A stranger's transaction that keeps the record of a key locked until it ends. */
    static Connection lockRow(DataSource source, Key key) throws SQLException {
        Connection stranger = begin(source);
        String sql = "SELECT k FROM leasehold_lease WHERE k = ? FOR UPDATE";
        try (PreparedStatement statement = stranger.prepareStatement(sql)) {
            setKey(statement, key);
            statement.executeQuery().close();
        }
        return stranger;
    }

    /** Makes a record that nobody has. */
    static void insertFree(Connection connection, Key key) throws SQLException {
        String sql = "INSERT INTO leasehold_lease (k, state, fence, expiry, ttl, since, cooldown, attempts)"
                + " VALUES (?, 'F', 1, 0, 1, 0, 0, 0)";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            setKey(statement, key);
            statement.executeUpdate();
        }
    }

    private static void setKey(PreparedStatement statement, Key key) throws SQLException {
        String product = statement.getConnection().getMetaData().getDatabaseProductName();
        if (Dialect.of(product).keys == Dialect.Keys.BYTES) {
            statement.setBytes(1, key.value().getBytes(StandardCharsets.UTF_8));
        } else {
            statement.setString(1, key.value());
        }
    }
}
