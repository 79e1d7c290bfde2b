package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.StoreException;
import dev.leasehold.tck.Ask;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    @Test
    @DisplayName("synchronous=OFF on SQLite, unless the risk is accepted")
    void sqlite() {
        try (TestDatabase database = TestDatabase.sqlite(directory, "&synchronous=OFF")) {
            assertRefusedUnlessAccepted(database, "synchronous is OFF", "PRAGMA synchronous = FULL");
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
