package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

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

    private static void check(DataSource source, String type, String leftByNow, String leftByUtc) {
        checkLeft(source, type, LOCAL, leftByNow);
        checkLeft(source, type, LOCAL.timesInUtc(), leftByUtc);
    }

    private static void checkLeft(DataSource source, String type, RowMapping mapping, String left) {
        try (UserTable table = new UserTable(source, "jobs")) {
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
