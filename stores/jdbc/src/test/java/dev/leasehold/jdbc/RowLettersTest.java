package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The key of a row whose column is blind to case")
class RowLettersTest {
    private static final Duration TTL = Duration.ofMinutes(5);
    private static final RowMapping MAPPING = RowMapping.of("jobs").key("id").expiry("until");

    @TempDir
    private Path directory;

    private static String blind(Kind kind) {
        return switch (kind) {
            case POSTGRESQL -> "text COLLATE blind";
            case MARIADB -> "varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";
            case SQLITE -> "varchar(50) COLLATE NOCASE";
            case H2 -> "varchar_ignorecase(50)";
        };
    }

    private static void create(UserTable table, Kind kind, String type) {
        if (kind == Kind.POSTGRESQL) {
            table.execute("CREATE COLLATION IF NOT EXISTS blind (provider = icu, locale = 'und-u-ks-level2',"
                    + " deterministic = false)");
        }
        String time = kind == Kind.MARIADB ? "datetime(6)" : "timestamp";
        table.execute("DROP TABLE IF EXISTS jobs", "CREATE TABLE jobs (id " + type + ", until " + time + ")");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A10 is the row's to the letter")
    void toTheLetter(Kind kind) {
        try (TestDatabase database = kind.fresh(directory);
                UserTable table = new UserTable(database.source(), "jobs")) {
            create(table, kind, blind(kind) + " PRIMARY KEY");
            table.execute("INSERT INTO jobs (id) VALUES ('job')");
            assertThat(table.number("SELECT count(*) FROM jobs WHERE id = 'JOB'"))
                    .as("the column is blind to case")
                    .isEqualTo(1);
            assertToTheLetter(database, table);
        }
    }

    @Test
    @DisplayName("A10 is refused at the start if it is of PostgreSQL's type for texts without case")
    void citext() {
        try (TestDatabase database = TestDatabase.postgres(17);
                UserTable table = new UserTable(database.source(), "jobs")) {
            table.execute("CREATE EXTENSION citext");
            create(table, Kind.POSTGRESQL, "citext PRIMARY KEY");
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> JdbcLeaseStore.builder(database.source())
                            .onRows(MAPPING)
                            .close())
                    .withMessageContaining("citext");
        }
    }

    private static void assertToTheLetter(TestDatabase database, UserTable table) {
        try (RowLeaseStore store = JdbcLeaseStore.builder(database.source()).onRows(MAPPING)) {
            assertThat(store.acquire(ask("JOB", "ann", TTL))).isEqualTo(new AcquireResult.Missing());
            assertThat(store.find(Key.of("JOB"))).isEmpty();
            assertThat(table.number("SELECT count(*) FROM jobs WHERE until IS NOT NULL"))
                    .isZero();
            LeaseRef lease = take(store, "job", "ann", TTL);
            assertThat(store.acquire(ask("JOB", "bob", TTL))).isEqualTo(new AcquireResult.Missing());
            LeaseRef wrong = new LeaseRef(Key.of("JOB"), lease.nonce(), lease.fence());
            assertThat(store.renew(List.of(lease))).hasSize(1);
            assertThat(store.release(ReleaseRequest.of(wrong))).isEqualTo(ReleaseResult.NOT_HELD);
            assertThat(table.number("SELECT count(*) FROM jobs WHERE until IS NOT NULL"))
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A10 tells two rows apart that differ by case only")
    void twoRows(Kind kind) {
        try (TestDatabase database = kind.fresh(directory);
                UserTable table = new UserTable(database.source(), "jobs")) {
            create(table, kind, blind(kind));
            table.execute("INSERT INTO jobs (id) VALUES ('job'), ('JOB')");
            try (RowLeaseStore store = JdbcLeaseStore.builder(database.source()).onRows(MAPPING)) {
                LeaseRef lease = take(store, "job", "ann", TTL);
                assertThat(table.number("SELECT count(*) FROM jobs WHERE until IS NOT NULL"))
                        .isEqualTo(1);
                LeaseRef other = take(store, "JOB", "bob", TTL);
                assertThat(store.renew(List.of(lease, other))).hasSize(2);
                assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
                assertThat(store.find(Key.of("JOB")).orElseThrow().isHeld()).isTrue();
            }
        }
    }
}
