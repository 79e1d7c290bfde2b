package dev.leasehold.jdbc;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.Database;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.servers.SqlServer;
import java.nio.file.Path;
import javax.sql.DataSource;

/** A fresh database with Leasehold's tables, on a real server or in a file. */
final class TestDatabase implements AutoCloseable {
    private final DataSource source;
    private final Runnable end;

    private TestDatabase(DataSource source, Runnable end) {
        this.source = source;
        this.end = end;
        JdbcLeaseStore.createSchema(source);
    }

    static TestDatabase postgres(int major) {
        return on(PostgresServer.shared(major, Config.relaxed()));
    }

    static TestDatabase mariaDb() {
        return on(MariaDbServer.shared(Config.relaxed()));
    }

    static TestDatabase on(SqlServer server) {
        Database database = server.freshDatabase();
        return new TestDatabase(
                new UrlDataSource(database.url(), database.user(), database.password()), database::close);
    }

    static TestDatabase sqlite(Path directory) {
        String url = "jdbc:sqlite:" + directory.resolve("leases.db") + "?journal_mode=WAL";
        return new TestDatabase(new UrlDataSource(url, null, null), () -> {});
    }

    static TestDatabase h2(Path directory) {
        String url = "jdbc:h2:" + directory.resolve("leases") + ";DB_CLOSE_DELAY=10";
        return new TestDatabase(new UrlDataSource(url, null, null), () -> {});
    }

    DataSource source() {
        return source;
    }

    @Override
    public void close() {
        end.run();
    }
}
