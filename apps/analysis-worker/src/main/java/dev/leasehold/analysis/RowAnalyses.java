package dev.leasehold.analysis;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.jdbc.JdbcLeaseStore;
import dev.leasehold.jdbc.RowLeaseStore;
import dev.leasehold.jdbc.RowMapping;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUrl;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Analyses as rows of the table {@code analyses}, in PostgreSQL, MariaDB, MySQL, SQLite or H2. */
final class RowAnalyses implements AnalysisStore {
    static final RowMapping MAPPING = RowMapping.of("analyses")
            .key("id")
            .keyPrefix("analyses/")
            .camelCase()
            .owner("lock_owner")
            .expiry("lock_expires_at")
            .heartbeat("lock_heartbeat_at")
            .fence("lock_fence")
            .nonce("lock_nonce")
            .attempts("attempts")
            .doneWhen("status", Analysis.READY)
            .failedWhen("status", Analysis.FAILED)
            .reason("error")
            .writes("language", "words", "sentences", "readability", "top_words");

    private static final int CONNECTIONS = 8;

    private final String description;
    private final HikariDataSource source;
    private final JdbcClient database;
    private final RowLeaseStore leases;

    private RowAnalyses(String description, HikariDataSource source) {
        this.description = description;
        this.source = source;
        this.database = JdbcClient.create(source);
        this.leases = JdbcLeaseStore.builder(source).onRows(MAPPING);
    }

    /** Opens the database and makes the table if it is missing. */
    static RowAnalyses open(String url, @Nullable String user, @Nullable String password) {
        // By itself first: the pool would write a stack trace into the log if the database refuses.
        try (Connection first = DriverManager.getConnection(url, user, password)) {
            return open(url, user, password, first.getMetaData().getDatabaseProductName());
        } catch (SQLException e) {
            // A driver may repeat the URL with its password.
            String why =
                    String.valueOf(e.getMessage()).replace(url, StoreUrl.of(url).toString());
            throw new StoreException("The database cannot be opened: " + why);
        }
    }

    private static RowAnalyses open(String url, @Nullable String user, @Nullable String password, String product) {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(url);
        pool.setUsername(user);
        pool.setPassword(password);
        pool.setMaximumPoolSize(CONNECTIONS);
        HikariDataSource source = new HikariDataSource(pool);
        try {
            createTable(JdbcClient.create(source), product);
            return new RowAnalyses(product + ", rows of the table analyses", source);
        } catch (RuntimeException e) {
            source.close();
            throw e;
        }
    }

    private static void createTable(JdbcClient database, String product) {
        if (hasTable(database)) {
            return;
        }
        String text = "text";
        String time = "text";
        switch (product.toLowerCase(Locale.ROOT)) {
            case "postgresql" -> time = "timestamptz";
            case "h2" -> {
                text = "character varying";
                time = "timestamp(6) with time zone";
            }
            case "mariadb", "mysql" -> {
                text = "longtext";
                time = "timestamp(6) NULL DEFAULT NULL";
            }
            default -> {} // SQLite has text for both.
        }
        String create = """
                CREATE TABLE analyses (
                    id                varchar(128) NOT NULL PRIMARY KEY,
                    status            varchar(10) NOT NULL,
                    text              %1$s NOT NULL,
                    language          varchar(8),
                    words             bigint,
                    sentences         bigint,
                    readability       double precision,
                    top_words         %1$s,
                    error             %1$s,
                    attempts          int,
                    lock_owner        varchar(255),
                    lock_expires_at   %2$s,
                    lock_heartbeat_at %2$s,
                    lock_fence        bigint,
                    lock_nonce        varchar(32)
                )""".formatted(text, time);
        try {
            database.sql(create).update();
        } catch (DataAccessException e) {
            if (!hasTable(database)) { // Otherwise another instance was quicker.
                throw e;
            }
        }
    }

    private static boolean hasTable(JdbcClient database) {
        try {
            database.sql("SELECT id FROM analyses WHERE 1 = 0").query().listOfRows();
            return true;
        } catch (DataAccessException e) {
            return false;
        }
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public LeaseStore leases() {
        return leases;
    }

    @Override
    public LeaseStore ownerLocks() {
        return leases;
    }

    @Override
    public Key keyOf(String id) {
        return MAPPING.keyOf(id);
    }

    @Override
    public void create(String id, String text) {
        database.sql("INSERT INTO analyses (id, status, text) VALUES (?, ?, ?)")
                .params(id, Analysis.PENDING, text)
                .update();
    }

    @Override
    public void close() {
        leases.close();
        source.close();
    }
}
