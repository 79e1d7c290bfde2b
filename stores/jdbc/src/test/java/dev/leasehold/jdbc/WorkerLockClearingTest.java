package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every start on the table of cron scripts deletes the rows that have expired, on every database. */
@ParameterizedClass(name = "{0}")
@EnumSource(Kind.class)
@DisplayName("The table worker_lock")
class WorkerLockClearingTest {
    private static final Duration TTL = Duration.ofMinutes(5);
    private static final Duration LIMIT = Duration.ofSeconds(1);

    /** A quarter of it is enough to drop the rows one by one on a disk that is busy. */
    private static final Duration AMPLE = Duration.ofSeconds(60);

    @Parameter
    private Kind kind;

    @TempDir
    private Path directory;

    private TestDatabase database;
    private UserTable table;
    private RowMoment moment;
    private RowLeaseStore store;

    @BeforeEach
    void open() {
        database = kind.fresh(directory);
        table = new UserTable(database.source(), "worker_lock");
        String time = kind == Kind.MARIADB || kind == Kind.SQLITE ? "DATETIME" : "TIMESTAMP";
        table.execute(
                "CREATE TABLE worker_lock (lock_key VARCHAR(100) NOT NULL PRIMARY KEY, expires_at " + time
                        + " NOT NULL)",
                "CREATE INDEX idx_worker_lock_expires_at ON worker_lock (expires_at)");
        for (int i = 0; i < 30; i++) {
            table.execute("INSERT INTO worker_lock VALUES ('dead" + i + "', '2020-01-01 00:00:00')");
        }
        table.execute("INSERT INTO worker_lock VALUES ('alive', '2037-01-01 00:00:00')");
        moment = new RowMoment(database.source());
        store = JdbcLeaseStore.builder(moment).callLimit(AMPLE).onRows(RowMapping.workerLock());
    }

    @AfterEach
    void close() {
        store.close();
        table.close();
        database.close();
    }

    @Test
    @Tag("part-of:CRON-1")
    @DisplayName("is cleared of every row that expired when a caller is granted its lock")
    void grantedCallerClears() {
        take(store, "job", "cron", TTL);
        assertThat(keys()).isEqualTo(2);
        assertThat(table.number("SELECT count(*) FROM worker_lock WHERE lock_key IN ('alive', 'job')"))
                .isEqualTo(2);
    }

    @Test
    @Tag("part-of:CRON-1")
    @DisplayName("is cleared of every row that expired when a caller is refused")
    void refusedCallerClears() {
        assertThat(store.acquire(ask("alive", "cron", TTL))).isInstanceOf(AcquireResult.Held.class);
        assertThat(keys()).isEqualTo(1);
        assertThat(table.row("lock_key", "alive")).containsKey("expires_at");
    }

    @Test
    @Tag("part-of:CRON-1")
    @DisplayName("is granted from although clearing it would take all the time of the call")
    void slowClearing() {
        try (RowLeaseStore hasty =
                JdbcLeaseStore.builder(moment).callLimit(LIMIT).onRows(RowMapping.workerLock())) {
            slowDown();
            take(hasty, "job", "cron", TTL);
        }
        assertThat(keys()).as("left for the next caller").isGreaterThan(2);
    }

    private void slowDown() {
        moment.before("DELETE", () -> {
            Threads.pause(LIMIT.dividedBy(5));
            slowDown();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT", "DELETE"})
    @Tag("part-of:CRON-1")
    @DisplayName("is granted from although clearing it fails")
    void failedClearing(String statement) {
        take(store, "warm-up", "cron", TTL);
        table.execute("INSERT INTO worker_lock VALUES ('dead', '2020-01-01 00:00:00')");
        moment.before(statement, () -> {
            throw new SQLException("Out of order.", "XX000");
        });
        take(store, "job", "cron", TTL);
        assertThat(moment.hasPassed()).as("it failed").isTrue();
        take(store, "next", "cron", TTL);
        assertThat(keys()).as("without the dead one").isEqualTo(4);
    }

    private long keys() {
        return table.number("SELECT count(*) FROM worker_lock");
    }
}
