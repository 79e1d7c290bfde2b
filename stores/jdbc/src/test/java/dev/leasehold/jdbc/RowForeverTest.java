package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A row with the largest or the smallest number as its time")
class RowForeverTest {
    private static final Duration TTL = Duration.ofMinutes(5);
    private static final RowMapping JOBS = RowMapping.of("jobs").key("id");

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    @DisplayName("A02 is held for ever, or expired, whatever the lock delay")
    void extremes(Kind kind) {
        try (TestDatabase database = kind.fresh(directory);
                UserTable table = new UserTable(database.source(), "jobs")) {
            table.execute("CREATE TABLE jobs (id varchar(20) PRIMARY KEY, until bigint)");
            for (RowMapping mapping : new RowMapping[] {JOBS.expiry("until"), JOBS.since("until", TTL)}) {
                for (Duration delay : new Duration[] {Duration.ZERO, Duration.ofSeconds(5), Duration.ofDays(40_000)}) {
                    table.execute(
                            "DELETE FROM jobs",
                            "INSERT INTO jobs VALUES ('1', 9223372036854775807), ('2', -9223372036854775807)");
                    assertExtremes(database, mapping, delay);
                }
            }
        }
    }

    private static void assertExtremes(TestDatabase database, RowMapping mapping, Duration delay) {
        try (RowLeaseStore store = JdbcLeaseStore.builder(database.source()).onRows(mapping)) {
            assertThat(store.acquire(ask("1", "ann", TTL).withLockDelay(delay)))
                    .isInstanceOfSatisfying(
                            AcquireResult.Held.class,
                            held -> assertThat(held.remaining()).isGreaterThan(Duration.ofDays(30_000)));
            assertThat(store.find(Key.of("1")).orElseThrow().isHeld()).isTrue();
            assertThat(store.acquire(ask("2", "ann", TTL).withLockDelay(delay)))
                    .isInstanceOf(AcquireResult.Granted.class);
        }
    }
}
