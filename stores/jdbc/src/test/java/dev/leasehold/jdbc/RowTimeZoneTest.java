package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions far from UTC, and rows that know no time zone. */
@DisplayName("The time of a row")
class RowTimeZoneTest {
    private static final Duration TTL = Duration.ofMinutes(5);
    private static final RowMapping LOCAL = RowMapping.of("jobs").key("id").expiry("until");

    @Test
    @DisplayName("C06 is what NOW() writes in the session on PostgreSQL, or UTC if the mapping says so")
    void postgres() {
        try (TestDatabase database = TestDatabase.postgres(17)) {
            DataSource source = new SessionSource(database.source(), "SET TIME ZONE 'Asia/Tokyo'");
            check(
                    source,
                    "timestamp",
                    "extract(epoch FROM until - localtimestamp)",
                    "extract(epoch FROM until - (now() AT TIME ZONE 'UTC'))");
            check(source, "timestamptz", "extract(epoch FROM until - now())", "extract(epoch FROM until - now())");
        }
    }

    @Test
    @DisplayName("C06 is what NOW() writes in the session on MariaDB, or UTC if the mapping says so")
    void mariaDb() {
        try (TestDatabase database = TestDatabase.mariaDb()) {
            DataSource source = new SessionSource(database.source(), "SET time_zone = '-07:00'");
            check(
                    source,
                    "datetime(3)",
                    "timestampdiff(SECOND, now(), until)",
                    "timestampdiff(SECOND, utc_timestamp(), until)");
            check(
                    source,
                    "timestamp(6) NULL",
                    "unix_timestamp(until) - unix_timestamp()",
                    "unix_timestamp(until) - unix_timestamp()");
        }
    }

    @ParameterizedTest(name = "its end is {0} seconds from now")
    @ValueSource(longs = {-60, 1_800})
    @DisplayName("C06 is right in both of the hours that the end of summer time makes of one, on MariaDB")
    void hourThatComesTwice(long secondsUntilEnd) throws SQLException {
        try (TestDatabase database = TestDatabase.mariaDb()) {
            String zone = ZoneTest.summerTimeEnds(database, Instant.now().plusSeconds(secondsUntilEnd));
            DataSource source = new SessionSource(database.source(), "SET time_zone = '" + zone + "'");
            String left = "unix_timestamp(until) - unix_timestamp()";
            checkLeft(source, "timestamp(6) NULL", LOCAL, database.source(), left);
            checkLeft(source, "timestamp NULL", LOCAL, database.source(), left);
            checkLeft(source, "datetime(6)", LOCAL, source, "timestampdiff(SECOND, now(), until)");
            checkWorkerLock(source, database.source());
        }
    }

    @Test
    @DisplayName("C06 cannot be told by a clock with a zone while the heartbeat has none: that is refused on MariaDB")
    void mixture() {
        try (TestDatabase database = TestDatabase.mariaDb();
                UserTable table = new UserTable(database.source(), "jobs")) {
            table.execute("CREATE TABLE jobs (id integer PRIMARY KEY, until timestamp(6) NULL, beat datetime)");
            RowMapping mixture = LOCAL.heartbeat("beat");
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> JdbcLeaseStore.builder(database.source())
                            .onRows(mixture)
                            .close())
                    .withMessageContaining("beat")
                    .withMessageContaining("timesInUtc()");
            JdbcLeaseStore.builder(database.source())
                    .onRows(mixture.timesInUtc())
                    .close();
        }
    }

    private static void checkWorkerLock(DataSource source, DataSource utc) {
        try (UserTable table = new UserTable(utc, "worker_lock")) {
            table.execute(
                    "CREATE TABLE worker_lock (lock_key varchar(100) PRIMARY KEY, expires_at timestamp NOT NULL)");
            try (RowLeaseStore store = JdbcLeaseStore.builder(source).onRows(RowMapping.workerLock())) {
                LeaseRef lease = take(store, "job", "ann", TTL);
                assertThat(store.acquire(ask("job", "bob", TTL))).isInstanceOf(AcquireResult.Held.class);
                assertThat(store.renew(List.of(lease))).hasSize(1);
                table.elapse(RowMapping.workerLock(), TTL.plusSeconds(2));
                take(store, "job", "bob", TTL);
            }
        }
    }

    private static void check(DataSource source, String type, String leftByNow, String leftByUtc) {
        checkLeft(source, type, LOCAL, source, leftByNow);
        checkLeft(source, type, LOCAL.timesInUtc(), source, leftByUtc);
    }

    private static void checkLeft(DataSource source, String type, RowMapping mapping, DataSource user, String left) {
        try (UserTable table = new UserTable(user, "jobs")) {
            table.execute(
                    "DROP TABLE IF EXISTS jobs",
                    "CREATE TABLE jobs (id integer PRIMARY KEY, until " + type + ")",
                    "INSERT INTO jobs (id) VALUES (1)");
            try (RowLeaseStore store = JdbcLeaseStore.builder(source).onRows(mapping)) {
                LeaseRef lease = take(store, "1", "ann", TTL);
                assertThat(table.number("SELECT " + left + " FROM jobs")).isBetween(290L, 301L);
                assertThat(store.renew(List.of(lease)).get(0).remaining()).isBetween(TTL, TTL.plusSeconds(1));
                assertThat(store.acquire(ask("1", "bob", TTL)))
                        .isInstanceOfSatisfying(AcquireResult.Held.class, held -> {
                            assertThat(held.remaining()).isBetween(TTL.minusSeconds(10), TTL.plusSeconds(1));
                        });
                table.elapse(mapping, TTL.plusSeconds(1));
                assertThat(store.acquire(ask("1", "bob", TTL)))
                        .isInstanceOfSatisfying(AcquireResult.Granted.class, granted -> {
                            assertThat(granted.predecessor()).isNotNull();
                            assertThat(granted.predecessor().fence()).isLessThan(granted.fence());
                        });
            }
        }
    }
}
