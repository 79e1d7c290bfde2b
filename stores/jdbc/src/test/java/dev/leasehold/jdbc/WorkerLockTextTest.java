package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SQLite keeps a time as whatever text or number a script wrote. */
@DisplayName("The table worker_lock in SQLite")
class WorkerLockTextTest {
    private static final Duration TTL = Duration.ofMinutes(5);

    @TempDir
    private Path directory;

    private TestDatabase database;
    private UserTable table;
    private RowLeaseStore store;

    @BeforeEach
    void open() {
        database = TestDatabase.sqlite(directory);
        table = new UserTable(database.source(), "worker_lock");
        table.execute("CREATE TABLE worker_lock (lock_key text PRIMARY KEY, expires_at DATETIME NOT NULL)");
        store = JdbcLeaseStore.builder(database.source()).onRows(RowMapping.workerLock());
    }

    @AfterEach
    void close() {
        store.close();
        table.close();
        database.close();
    }

    private void scriptWrites(String expiry) {
        table.execute("INSERT INTO worker_lock VALUES ('job', " + expiry + ")");
    }

    private long rows() {
        return table.number("SELECT count(*) FROM worker_lock WHERE lock_key = 'job'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "datetime('now', '+300 seconds')",
                "strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '+300 seconds')",
                "strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now', '+300 seconds')",
                "strftime('%Y-%m-%dT%H:%M:%S-08:00', 'now', '-8 hours', '+300 seconds')",
                "strftime('%Y-%m-%d %H:%M:%f+09:00', 'now', '+9 hours', '+300 seconds')"
            })
    @DisplayName("keeps the live lock of a script, however it writes the time")
    void live(String expiry) {
        scriptWrites(expiry);
        take(store, "other", "ann", TTL);
        assertThat(rows()).as("after a lease on another key").isEqualTo(1);
        assertThat(store.acquire(ask("job", "ann", TTL)))
                .isInstanceOfSatisfying(
                        AcquireResult.Held.class,
                        held -> assertThat(held.remaining())
                                .isBetween(Duration.ofSeconds(200), Duration.ofSeconds(301)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "datetime('now', '-30 seconds')",
                "strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-30 seconds')",
                "strftime('%Y-%m-%dT%H:%M:%S+09:00', 'now', '+9 hours', '-30 seconds')"
            })
    @Tag("part-of:CRON-1")
    @DisplayName("is cleared of a lock that expired, however the script wrote the time")
    void expired(String expiry) {
        scriptWrites(expiry);
        take(store, "other", "ann", TTL);
        assertThat(rows()).as("after a lease on another key").isZero();
        scriptWrites(expiry);
        take(store, "job", "ann", TTL);
    }

    @ParameterizedTest
    @ValueSource(strings = {"strftime('%s', 'now') + 300", "'x' || strftime('%s', 'now')", "'garbage'", "''"})
    @DisplayName("neither gives away nor deletes a lock whose time cannot be read, and says where it is")
    void unreadable(String expiry) {
        scriptWrites(expiry);
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.acquire(ask("job", "ann", TTL)))
                .withMessageContainingAll("worker_lock", "expires_at", "job", "UTC");
        take(store, "other", "ann", TTL);
        assertThat(rows()).isEqualTo(1);
    }
}
