package dev.leasehold.servers;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** A database of one's own on a server. Closing drops it, which only servers of somebody else need. */
public final class Database implements AutoCloseable {
    private final SqlServer server;
    private final JdbcUrl url;

    Database(SqlServer server, JdbcUrl url) {
        this.server = server;
        this.url = url;
    }

    /** For JDBC, without user and password. */
    public String url() {
        return url.text();
    }

    /** Who may do everything in it. */
    public String user() {
        return url.user();
    }

    /** The user's password. */
    public String password() {
        return url.password();
    }

    /** A new connection. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url(), user(), password());
    }

    /** Drops it. */
    @Override
    public void close() {
        server.execute(server.dropStatement(url.database()));
    }
}
