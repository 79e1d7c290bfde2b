package dev.leasehold.jdbc;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.MissingSchemaException;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreProvider;
import dev.leasehold.store.StoreUrl;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Databases by their JDBC URLs; {@code sqlite:PATH} for a file that many processes share; and {@code worker-lock:} in
 * front of a JDBC URL for leases on an existing table {@code worker_lock}, as {@link RowMapping#workerLock} has it.
 */
public final class JdbcStoreProvider implements StoreProvider {
    private static final String WORKER_LOCK = "worker-lock";

    /** What each scheme needs on the class path. */
    private static final Map<String, String> DRIVERS = new LinkedHashMap<>();

    static {
        DRIVERS.put("jdbc:postgresql", "org.postgresql:postgresql");
        DRIVERS.put("jdbc:mariadb", "org.mariadb.jdbc:mariadb-java-client");
        DRIVERS.put("jdbc:mysql", "com.mysql:mysql-connector-j");
        DRIVERS.put("jdbc:h2", "com.h2database:h2");
        DRIVERS.put("jdbc:sqlite", "org.xerial:sqlite-jdbc");
        DRIVERS.put(SqliteFile.SCHEME, "org.xerial:sqlite-jdbc");
        DRIVERS.put(WORKER_LOCK, "");
    }

    @Override
    public Set<String> schemes() {
        return DRIVERS.keySet();
    }

    @Override
    public LeaseStore open(StoreUrl url) {
        if (url.scheme().equals(SqliteFile.SCHEME) && !Files.exists(SqliteFile.path(url))) {
            throw new MissingSchemaException(
                    "There is no database at " + url.rest() + " yet.", Schema.advice(Dialect.SQLITE), null);
        }
        JdbcLeaseStoreBuilder builder = JdbcLeaseStore.builder(source(url));
        return isWorkerLock(url) ? builder.onRows(RowMapping.workerLock()) : builder.open();
    }

    @Override
    public Optional<String> schema(StoreUrl url) {
        return isWorkerLock(url) ? Optional.empty() : Optional.of(Schema.script(dialect(url)));
    }

    @Override
    public void createSchema(StoreUrl url) {
        if (isWorkerLock(url)) {
            throw new StoreException("The table worker_lock is the user's own; Leasehold does not create it.");
        }
        if (url.scheme().equals(SqliteFile.SCHEME)) {
            SqliteFile.create(url, this::source);
        } else {
            Schema.create(source(url));
        }
    }

    private static boolean isWorkerLock(StoreUrl url) {
        return url.scheme().equals(WORKER_LOCK);
    }

    private static Dialect dialect(StoreUrl url) {
        return Dialect.of(url.scheme().substring(url.scheme().indexOf(':') + 1));
    }

    private UrlDataSource source(StoreUrl url) {
        StoreUrl target = isWorkerLock(url) ? StoreUrl.of(url.rest()) : url;
        String jdbc = target.scheme().equals(SqliteFile.SCHEME) ? SqliteFile.jdbcUrl(target) : target.text();
        UrlDataSource.checkLogin(jdbc);
        try {
            return new UrlDataSource(
                    jdbc, url.user().orElse(null), url.password().orElse(null), Drivers.find(jdbc));
        } catch (SQLException e) {
            String driver = DRIVERS.get(target.scheme());
            throw new StoreException(
                    "No JDBC driver for " + target
                            + (driver == null ? "." : ": add the dependency " + driver + " to the class path."),
                    e);
        }
    }
}
