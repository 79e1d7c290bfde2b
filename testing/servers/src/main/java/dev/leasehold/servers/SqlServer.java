package dev.leasehold.servers;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A server that is reached by JDBC. */
public abstract sealed class SqlServer extends Server permits PostgresServer, MariaDbServer {
    private final JdbcUrl url;

    SqlServer(@Nullable Instance instance, String variable, boolean isShared, JdbcUrl url) {
        super(instance, variable, isShared);
        this.url = url;
    }

    /** For JDBC, without user and password. It stays the same for the life of the server. */
    public String url() {
        return url.text();
    }

    /** Who may do everything. */
    public String user() {
        return url.user();
    }

    /** The user's password. */
    public String password() {
        return url.password();
    }

    /** A new connection to the database that every such server has. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url(), user(), password());
    }

    @Override
    public Instant time() {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT CURRENT_TIMESTAMP")) {
            row.next();
            return row.getTimestamp(1).toInstant();
        } catch (SQLException e) {
            throw new IllegalStateException(url() + " does not tell the time: " + e.getMessage(), e);
        }
    }

    /** A new and empty database, for one test class say. */
    public Database freshDatabase() {
        // Random, since somebody else's server may have those of other JVMs.
        String name = "lh_" + Passwords.fresh();
        execute("CREATE DATABASE " + name);
        return new Database(this, url.withDatabase(name));
    }

    abstract String dropStatement(String database);

    void execute(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + " failed at " + url() + ": " + e.getMessage(), e);
        }
    }
}
