package dev.leasehold.jdbc;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUrl;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections by URL, one by one: the store keeps what it opens, so no pool is needed. Only the one by which the store
 * looked at the database is kept here, to be its first.
 */
final class UrlDataSource implements DataSource, AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(400);

    /** Schemes whose drivers take no user and password in front of the host. */
    private static final Set<String> WITHOUT_LOGIN = Set.of("jdbc:postgresql", "jdbc:mariadb");

    private final String url;
    private final Secrets secrets;
    private final @Nullable String user;
    private final @Nullable String password;
    private final @Nullable Driver driver;
    private final AtomicReference<@Nullable Connection> kept = new AtomicReference<>();

    UrlDataSource(String url, @Nullable String user, @Nullable String password) {
        this(url, user, password, null);
    }

    /**
     * With this driver, or, if it is null, with the one that DriverManager finds.
     *
     * @throws StoreException if the URL has no scheme, or a user and password where its driver takes none
     */
    UrlDataSource(String url, @Nullable String user, @Nullable String password, @Nullable Driver driver) {
        checkLogin(url);
        this.url = url;
        this.secrets = Secrets.in(url, password);
        this.user = user;
        this.password = password;
        this.driver = driver;
    }

    /**
     * Refuses a user and password that the driver would take for a host and port. It would fail all the same, and quote
     * the password in its log.
     */
    static void checkLogin(String url) {
        StoreUrl parsed = StoreUrl.of(url);
        boolean mayHaveLogin = parsed.address()
                .map(address -> address.login() != null && !address.login().isEmpty())
                .orElse(parsed.holdsSecret() && url.contains("@"));
        if (mayHaveLogin && WITHOUT_LOGIN.contains(parsed.scheme())) {
            throw new StoreException(
                    "The driver for " + parsed.scheme() + ": takes no user and password in front of the"
                            + " host. Give them beside the URL, or as ?user=…&password=… at its end: " + parsed + ".");
        }
    }

    /** Takes an open connection back, which the next who asks is given. */
    void keep(Connection connection) throws SQLException {
        Connection other = kept.getAndSet(connection);
        if (other != null) {
            other.close();
        }
    }

    /** Closes what was kept and nobody asked for. */
    @Override
    public void close() throws SQLException {
        Connection connection = kept.getAndSet(null);
        if (connection != null) {
            connection.close();
        }
    }

    /** A server that has no connection to spare, or that is just starting, is asked again for a while. */
    @Override
    public Connection getConnection() throws SQLException {
        Connection first = kept.getAndSet(null);
        if (first != null) {
            return first;
        }
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return connect();
            } catch (SQLException e) {
                if (!SqlErrors.isFull(e) || System.nanoTime() - end > 0) {
                    throw e;
                }
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(PAUSE.toNanos() / 4, PAUSE.toNanos()));
            }
        }
    }

    private Connection connect() throws SQLException {
        try {
            if (driver != null) {
                return connect(driver);
            }
            return user == null ? DriverManager.getConnection(url) : DriverManager.getConnection(url, user, password);
        } catch (SQLException e) {
            throw secrets.hide(e);
        } catch (RuntimeException e) {
            throw secrets.hide(e);
        }
    }

    private Connection connect(Driver chosen) throws SQLException {
        Properties properties = new Properties();
        if (user != null) {
            properties.setProperty("user", user);
        }
        if (password != null) {
            properties.setProperty("password", password);
        }
        Connection connection = chosen.connect(url, properties);
        if (connection == null) {
            throw new SQLException("The driver does not know this kind of URL.");
        }
        return connection;
    }

    @Override
    public Connection getConnection(String other, String secret) throws SQLException {
        return new UrlDataSource(url, other, secret, driver).connect();
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {
        DriverManager.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() {
        return DriverManager.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("DriverManager has no logger.");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("Not a wrapper.");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
