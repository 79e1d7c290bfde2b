package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.Subscription;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A HikariCP pool of five connections")
class HikariTest {
    private static final int SIZE = 5;

    @TempDir
    private Path directory;

    private TestDatabase database;
    private HikariDataSource pool;

    private void open(Kind kind) {
        database = kind.fresh(directory);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        if (kind == Kind.POSTGRESQL || kind == Kind.MARIADB) {
            config.setUsername(database.user());
            config.setPassword(database.password());
        }
        config.setMaximumPoolSize(SIZE);
        config.setMinimumIdle(SIZE);
        config.setConnectionTimeout(10_000);
        pool = new HikariDataSource(config);
    }

    @AfterEach
    void close() {
        pool.close();
        database.close();
    }

    /** All settings of one session, by name; those that change by themselves are left out. */
    private static Map<String, String> settings(Kind kind, Connection connection) throws SQLException {
        Map<String, String> settings = new TreeMap<>();
        String query = switch (kind) {
            case POSTGRESQL -> "SELECT name, setting FROM pg_settings";
            case MARIADB ->
                "SHOW SESSION VARIABLES WHERE Variable_name NOT IN"
                        + " ('timestamp', 'last_gtid', 'pseudo_thread_id', 'error_count', 'warning_count',"
                        + " 'insert_id', 'last_insert_id', 'rand_seed1', 'rand_seed2', 'identity',"
                        + " 'in_transaction', 'gtid_binlog_pos', 'gtid_current_pos', 'gtid_binlog_state')";
            case SQLITE -> "SELECT 'busy_timeout', timeout FROM pragma_busy_timeout";
            case H2 -> "SELECT 'LOCK_TIMEOUT', LOCK_TIMEOUT()";
        };
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                settings.put(rows.getString(1), String.valueOf(rows.getString(2)));
            }
        }
        settings.put("isolation", Integer.toString(connection.getTransactionIsolation()));
        settings.put("autocommit of JDBC", Boolean.toString(connection.getAutoCommit()));
        if (kind == Kind.POSTGRESQL || kind == Kind.MARIADB) {
            settings.put("network timeout", Integer.toString(connection.getNetworkTimeout()));
        }
        if (kind == Kind.POSTGRESQL) {
            settings.put("channels", Sessions.ask(connection, "SELECT count(*) FROM pg_listening_channels()"));
        }
        return settings;
    }

    /** The settings of each connection in the pool: it has to lend them all at once. */
    private List<Map<String, String>> all(Kind kind) throws SQLException {
        List<Connection> lent = new ArrayList<>();
        try {
            List<Map<String, String>> all = new ArrayList<>();
            for (int i = 0; i < SIZE; i++) {
                Connection connection = pool.getConnection();
                lent.add(connection);
                all.add(settings(kind, connection));
            }
            return all;
        } finally {
            for (Connection connection : lent) {
                connection.close();
            }
        }
    }

    private static List<String> changes(List<Map<String, String>> before, List<Map<String, String>> after) {
        List<String> changes = new ArrayList<>();
        for (int i = 0; i < SIZE; i++) {
            for (String name : before.get(i).keySet()) {
                String was = before.get(i).get(name);
                String is = after.get(i).get(name);
                if (!was.equals(is)) {
                    changes.add("connection " + i + ": " + name + " was " + was + " and is " + is);
                }
            }
        }
        return changes;
    }

    /** Its limits differ from the defaults of all databases. */
    private JdbcLeaseStore store() {
        return JdbcLeaseStore.builder(pool).callLimit(Duration.ofSeconds(6)).open();
    }

    /** Uses all connections that the store ever takes: verbs at the same time, renewals, wake-ups. */
    private static void exercise(JdbcLeaseStore store) throws Exception {
        List<Threads.Running<LeaseRef>> takers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            takers.add(Threads.start(() -> Ask.take(store, Ask.key())));
        }
        for (Threads.Running<LeaseRef> taker : takers) {
            assertThat(store.renew(List.of(taker.get()))).hasSize(1);
        }
        store.onWakeUp(told -> {}).ifPresent(Subscription::close);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("has every setting of every connection as before, once the store is closed")
    void afterClosing(Kind kind) throws Exception {
        open(kind);
        List<Map<String, String>> before = all(kind);
        JdbcLeaseStore store = store();
        exercise(store);
        store.close();
        assertThat(changes(before, all(kind))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
    @DisplayName("has them as before after a statement of the store has failed")
    void afterAFailedStatement(Kind kind) throws Exception {
        open(kind);
        List<Map<String, String>> before = all(kind);
        try (JdbcLeaseStore store = store()) {
            exercise(store);
            Sessions.execute(pool, "ALTER TABLE leasehold_lease RENAME TO elsewhere");
            for (int i = 0; i < 4; i++) {
                assertThatExceptionOfType(StoreException.class).isThrownBy(() -> Ask.take(store, Ask.key()));
            }
            Sessions.execute(pool, "ALTER TABLE elsewhere RENAME TO leasehold_lease");
            exercise(store);
        }
        assertThat(changes(before, all(kind))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("has them as before after the store has lost its connections, and lends none that is dead")
    void afterALostConnection(Kind kind) throws Exception {
        open(kind);
        List<Map<String, String>> before = all(kind);
        try (JdbcLeaseStore store = store()) {
            exercise(store);
            killOthers(kind);
            Threads.eventually("the store recovers", () -> {
                try {
                    return store.renew(List.of(Ask.take(store, Ask.key()))).size() == 1;
                } catch (StoreException e) {
                    return false;
                }
            });
            exercise(store);
        }
        assertThat(changes(before, all(kind))).isEmpty();
    }

    private void killOthers(Kind kind) throws SQLException {
        if (kind == Kind.POSTGRESQL) {
            Sessions.ask(
                    database.source(),
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                            + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
            return;
        }
        try (Connection connection = database.source().getConnection();
                Statement statement = connection.createStatement()) {
            List<String> ids = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery("SELECT id FROM information_schema.processlist"
                    + " WHERE db = database() AND id <> connection_id()")) {
                while (rows.next()) {
                    ids.add(rows.getString(1));
                }
            }
            for (String id : ids) {
                statement.execute("KILL " + id);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("lends the application a connection while leases are held, renewed and waited for")
    void isNotExhausted(Kind kind) throws Exception {
        open(kind);
        try (JdbcLeaseStore store = store()) {
            Optional<Subscription> waiting = store.onWakeUp(told -> {});
            exercise(store);
            try (Connection ours = pool.getConnection()) {
                assertThat(ours.isValid(5)).isTrue();
            }
            waiting.ifPresent(Subscription::close);
        }
    }
}
