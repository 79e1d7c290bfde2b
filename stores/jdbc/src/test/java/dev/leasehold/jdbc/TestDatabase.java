package dev.leasehold.jdbc;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.Database;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.servers.SqlServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A fresh database with Leasehold's tables, on a real server or in a file. */
final class TestDatabase implements AutoCloseable {
    private final String url;
    private final @Nullable String user;
    private final @Nullable String password;
    private final Runnable end;

    private TestDatabase(String url, @Nullable String user, @Nullable String password, Runnable end) {
        this.url = url;
        this.user = user;
        this.password = password;
        this.end = end;
        JdbcLeaseStore.createSchema(source());
    }

    static TestDatabase postgres(int major) {
        return on(PostgresServer.shared(major, Config.relaxed()));
    }

    static TestDatabase mariaDb() {
        return on(MariaDbServer.shared(Config.relaxed()));
    }

    static TestDatabase on(SqlServer server) {
        Database database = server.freshDatabase();
        return new TestDatabase(database.url(), database.user(), database.password(), database::close);
    }

    static TestDatabase sqlite(Path directory) {
        return sqlite(directory, "");
    }

    /** With these settings in its URL, such as {@code &synchronous=OFF}. */
    static TestDatabase sqlite(Path directory, String settings) {
        String url = "jdbc:sqlite:" + directory.resolve("leases.db") + "?journal_mode=WAL" + settings;
        return new TestDatabase(url, null, null, () -> {});
    }

    static TestDatabase h2(Path directory) {
        return h2(directory, "");
    }

    /**
     * With these settings in its URL. H2 keeps old parts of its file for longer than a test lasts: a commit may still read
     * them, and fails if they are gone.
     */
    private static TestDatabase h2(Path directory, String settings) {
        String url = "jdbc:h2:" + directory.resolve("leases") + ";DB_CLOSE_DELAY=10;RETENTION_TIME=600000" + settings;
        return new TestDatabase(url, null, null, () -> {});
    }

    /** One that other processes can open as well, as long as this one keeps a connection. */
    static TestDatabase sharedH2(Path directory) {
        return h2(directory, ";AUTO_SERVER=TRUE");
    }

    DataSource source() {
        return source(url);
    }

    /** The same user's connections by another URL. */
    DataSource source(String other) {
        return new UrlDataSource(other, user, password);
    }

    String url() {
        return url;
    }

    /** URL, user and password as another process is told; empty where there is none. */
    List<String> address() {
        return List.of(url, user == null ? "" : user, password == null ? "" : password);
    }

    /** Who may do everything in it; on a server. */
    String user() {
        return Objects.requireNonNull(user);
    }

    /** The user's password. */
    String password() {
        return Objects.requireNonNull(password);
    }

    @Override
    public void close() {
        end.run();
    }
}
