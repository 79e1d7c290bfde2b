package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.LogLines;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A setting that breaks a promise is refused at the start")
class StartChecksTest {
    @TempDir
    private Path directory;

    private static void assertRefused(TestDatabase database, String... words) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> JdbcLeaseStore.of(database.source()))
                .satisfies(refusal -> assertThat(refusal).hasMessageContainingAll(words));
    }

    private static void assertOpens(JdbcLeaseStoreBuilder builder) {
        try (JdbcLeaseStore store = builder.open()) {
            assertThat(Ask.take(store, Ask.key())).isInstanceOf(LeaseRef.class);
        }
    }

    private static void assertRefusedUnlessAccepted(TestDatabase database, String setting, String fix) {
        assertRefused(database, setting, fix, "acceptingLostCommits()");
        assertOpens(JdbcLeaseStore.builder(database.source()).acceptingLostCommits());
    }

    @Test
    @DisplayName("synchronous_commit=off on PostgreSQL, unless the risk is accepted")
    void postgres() throws SQLException {
        try (TestDatabase database = TestDatabase.postgres(18)) {
            String name = Sessions.ask(database.source(), "SELECT current_database()");
            Sessions.execute(database.source(), "ALTER DATABASE " + name + " SET synchronous_commit = off");
            assertRefusedUnlessAccepted(database, "synchronous_commit is off", "SET synchronous_commit = on");
        }
    }

    @Test
    @DisplayName("innodb_flush_log_at_trx_commit=2 on MariaDB, unless the risk is accepted")
    void mariaDb() throws SQLException {
        try (TestDatabase database = TestDatabase.mariaDb()) {
            Sessions.execute(database.source(), "SET GLOBAL innodb_flush_log_at_trx_commit = 2");
            try {
                assertRefusedUnlessAccepted(
                        database,
                        "innodb_flush_log_at_trx_commit is not 1",
                        "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
            } finally {
                Sessions.execute(database.source(), "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"OFF", "NORMAL"})
    @DisplayName("synchronous=OFF, or NORMAL with a write-ahead log, on SQLite, unless the risk is accepted")
    void sqlite(String value) {
        try (TestDatabase database = TestDatabase.sqlite(directory, "&synchronous=" + value)) {
            assertRefusedUnlessAccepted(database, "synchronous is " + value, "PRAGMA synchronous = FULL");
        }
    }

    @Test
    @DisplayName("synchronous=NORMAL on SQLite without a write-ahead log is not, for no commit is lost then")
    void sqliteWithJournal() {
        try (TestDatabase database = TestDatabase.sqlite(directory, "&synchronous=NORMAL&journal_mode=DELETE")) {
            assertOpens(JdbcLeaseStore.builder(database.source()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"OFF", "MEMORY"})
    @DisplayName("a SQLite file whose journal a crash takes away, unless the risk is accepted")
    void sqliteWithoutJournal(String mode) {
        try (TestDatabase database = TestDatabase.sqlite(directory, "&journal_mode=" + mode)) {
            assertRefusedUnlessAccepted(database, "journal_mode is " + mode, "PRAGMA journal_mode = WAL");
        }
    }

    @Test
    @DisplayName(
            "an H2 file, which is written later than the commit, is not, but warned of unless the risk is accepted")
    void h2() {
        try (TestDatabase database = TestDatabase.h2(directory);
                LogLines log = LogLines.of("dev.leasehold.jdbc")) {
            JdbcLeaseStore.createSchema(database.source());
            assertOpens(JdbcLeaseStore.builder(database.source()).acceptingLostCommits());
            assertThat(log.lines()).noneMatch(line -> line.contains("file of H2"));
            assertOpens(JdbcLeaseStore.builder(database.source()));
            assertThat(log.lines()).anyMatch(line -> line.startsWith("WARNING") && line.contains("file of H2"));
        }
    }

    @Test
    @DisplayName("an H2 database in memory is not, for it ends with its process anyway")
    void h2InMemory() {
        DataSource source = new UrlDataSource("jdbc:h2:mem:start;DB_CLOSE_DELAY=10", null, null);
        JdbcLeaseStore.createSchema(source);
        assertOpens(JdbcLeaseStore.builder(source));
    }

    @Test
    @DisplayName("fsync=off on PostgreSQL, unless the risk is accepted")
    void withoutFsync() {
        try (PostgresServer server = PostgresServer.start(18, Config.relaxed().with("fsync", "off"));
                TestDatabase database = TestDatabase.on(server)) {
            assertRefusedUnlessAccepted(database, "fsync is off", "fsync = on");
        }
    }

    private static void assertReadOnly(DataSource source, String fix) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() ->
                        JdbcLeaseStore.builder(source).acceptingLostCommits().open())
                .satisfies(refusal -> assertThat(refusal)
                        .isNotInstanceOf(StoreUnavailableException.class)
                        .hasMessageContainingAll("read-only", fix));
    }

    @Test
    @DisplayName("a session of PostgreSQL that may not write, with the setting to change")
    void readOnlyPostgres() throws SQLException {
        try (TestDatabase database = TestDatabase.postgres(18)) {
            String name = Sessions.ask(database.source(), "SELECT current_database()");
            Sessions.execute(database.source(), "ALTER DATABASE " + name + " SET default_transaction_read_only = on");
            assertReadOnly(database.source(), "default_transaction_read_only");
            try (Connection writer = database.source().getConnection()) {
                Sessions.execute(writer, "SET default_transaction_read_only = off");
                Sessions.execute(writer, "ALTER DATABASE " + name + " RESET default_transaction_read_only");
            }
            assertOpens(JdbcLeaseStore.builder(database.source()));
            RowMapping rows = RowMapping.of("account").key("id").owner("owner").expiry("until");
            Sessions.execute(
                    database.source(),
                    "CREATE TABLE account (id bigint PRIMARY KEY, owner varchar(200), until timestamptz)");
            Sessions.execute(database.source(), "ALTER DATABASE " + name + " SET default_transaction_read_only = on");
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> JdbcLeaseStore.builder(database.source()).onRows(rows))
                    .withMessageContaining("read-only");
        }
    }

    @Test
    @DisplayName("a user of MariaDB who may not write while read_only is on")
    void readOnlyMariaDb() throws SQLException {
        try (MariaDbServer server = MariaDbServer.start(Config.relaxed());
                TestDatabase database = TestDatabase.on(server)) {
            String schema = Sessions.ask(database.source(), "SELECT database()");
            Sessions.execute(database.source(), "CREATE USER reader IDENTIFIED BY 'secret'");
            Sessions.execute(database.source(), "GRANT ALL ON " + schema + ".* TO reader");
            Sessions.execute(database.source(), "SET GLOBAL read_only = 1");
            assertReadOnly(new UrlDataSource(database.url(), "reader", "secret"), "read_only");
            assertOpens(JdbcLeaseStore.builder(database.source()));
        }
    }

    @Test
    @DisplayName("a SQLite file that is opened without the right to write")
    void readOnlySqlite() {
        try (TestDatabase database = TestDatabase.sqlite(directory)) {
            assertReadOnly(database.source(database.url() + "&open_mode=1"), "the right to write");
        }
    }

    @Test
    @DisplayName("an H2 database that is opened without the right to write")
    void readOnlyH2() throws SQLException {
        try (TestDatabase database = TestDatabase.h2(directory)) {
            Sessions.execute(database.source(), "SHUTDOWN");
            assertReadOnly(database.source(database.url() + ";ACCESS_MODE_DATA=r"), "ACCESS_MODE_DATA");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stringtype=unspecified", "preferQueryMode=simple"})
    @DisplayName("a parameter of PostgreSQL's driver under which no statement of ours works")
    void driverParameters(String parameter) {
        try (TestDatabase database = TestDatabase.postgres(18)) {
            DataSource source =
                    database.source(database.url() + (database.url().contains("?") ? "&" : "?") + parameter);
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> assertOpens(JdbcLeaseStore.builder(source)))
                    .satisfies(refusal -> assertThat(refusal)
                            .isNotInstanceOf(StoreUnavailableException.class)
                            .hasMessageContainingAll(parameter.split("=", -1)));
        }
    }

    @Test
    @DisplayName("a column that a run is to write and that PostgreSQL computes")
    void computedColumn() throws SQLException {
        try (TestDatabase database = TestDatabase.postgres(17)) {
            Sessions.execute(
                    database.source(),
                    "CREATE TABLE jobs (id int PRIMARY KEY, until timestamptz, state text,"
                            + " twice int GENERATED ALWAYS AS (id * 2) STORED)");
            RowMapping rows = RowMapping.of("jobs")
                    .key("id")
                    .expiry("until")
                    .doneWhen("state", "READY")
                    .writes("twice");
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> JdbcLeaseStore.builder(database.source())
                            .onRows(rows)
                            .close())
                    .withMessageContainingAll("twice", "jobs");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"leasehold_lease", "leasehold_line"})
    @DisplayName("A10 MySQL's default collation, which merges keys, with the statements that fix it")
    void collation(String table) throws SQLException {
        try (TestDatabase database = TestDatabase.mariaDb()) {
            Sessions.execute(
                    database.source(),
                    "ALTER TABLE " + table + " MODIFY k varchar(512) CHARACTER SET utf8mb4 NOT NULL");
            StoreException refusal = catchRefusal(database);
            assertThat(refusal).hasMessageContaining(table).hasMessageContaining("varchar");
            Matcher fixes = Pattern.compile("ALTER TABLE [^;.]+").matcher(String.valueOf(refusal.getMessage()));
            while (fixes.find()) {
                Sessions.execute(database.source(), fixes.group());
            }
            assertOpens(JdbcLeaseStore.builder(database.source()));
        }
    }

    private static StoreException catchRefusal(TestDatabase database) {
        try (JdbcLeaseStore store = JdbcLeaseStore.of(database.source())) {
            throw new AssertionError("Not refused: " + store.name());
        } catch (StoreException e) {
            return e;
        }
    }
}
