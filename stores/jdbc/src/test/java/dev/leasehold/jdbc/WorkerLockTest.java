package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The table of cron scripts as it stands, shared with such scripts, in MariaDB. Sessions are in no zone of ours. */
@DisplayName("The table worker_lock")
class WorkerLockTest {
    private static final Duration TTL = Duration.ofMinutes(5);
    private static final String JOB = "fetch_news_worker";

    private static TestDatabase database;

    private final DataSource session = new SessionSource(database.source(), "SET time_zone = '+09:00'");
    private final UnreliableSource source = new UnreliableSource(session);
    private final UserTable table = new UserTable(session, "worker_lock");
    private RowLeaseStore store;

    @BeforeAll
    static void start() {
        database = TestDatabase.mariaDb();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void open() {
        table.execute(
                "DROP TABLE IF EXISTS worker_lock",
                "CREATE TABLE worker_lock (lock_key VARCHAR(100) NOT NULL, expires_at DATETIME NOT NULL,"
                        + " PRIMARY KEY (lock_key), KEY idx_worker_lock_expires_at (expires_at)) ENGINE=InnoDB");
        store = JdbcLeaseStore.builder(source).onRows(RowMapping.workerLock());
    }

    @AfterEach
    void close() {
        store.close();
        table.close();
    }

    /** What a script does to begin: fails if somebody has the lock. */
    private void scriptAcquires(String job, int seconds) {
        table.execute(
                "DELETE FROM worker_lock WHERE expires_at < NOW()",
                "INSERT INTO worker_lock (lock_key, expires_at) VALUES ('" + job + "', DATE_ADD(NOW(), INTERVAL "
                        + seconds + " SECOND))");
    }

    private long rows(String job) {
        return table.number("SELECT count(*) FROM worker_lock WHERE lock_key = '" + job + "'");
    }

    private long secondsLeft() {
        return table.number(
                "SELECT timestampdiff(SECOND, NOW(), expires_at) FROM worker_lock WHERE lock_key = '" + JOB + "'");
    }

    @Test
    @Tag("part-of:CRON-3")
    @DisplayName("has the row that a script would have made while a lease lives, and none afterwards")
    void rowWhileHeld() {
        LeaseRef lease = take(store, JOB, "cron", TTL);
        assertThat(secondsLeft()).isBetween(298L, 301L);
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(rows(JOB)).isZero();
        assertThat(store.release(ReleaseRequest.of(lease))).as("asked again").isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    @DisplayName("takes a longer and a shorter TTL of a renewal, which later renewals keep")
    void otherTtl() {
        LeaseRef lease = take(store, JOB, "cron", TTL);
        for (Duration ttl : List.of(TTL.multipliedBy(2), TTL.dividedBy(2))) {
            assertThat(store.renew(lease, ttl).orElseThrow().remaining()).isBetween(ttl, ttl.plusSeconds(1));
            assertThat(secondsLeft()).isBetween(ttl.toSeconds() - 2, ttl.toSeconds() + 1);
            assertThat(store.renew(List.of(lease)).get(0).remaining()).isBetween(ttl, ttl.plusSeconds(1));
        }
        store.release(ReleaseRequest.of(lease));
        assertThat(store.renew(lease, TTL)).isEmpty();
        assertThat(rows(JOB)).isZero();
    }

    @Test
    @Tag("part-of:CRON-3")
    @DisplayName("keeps a script out while a lease lives, and lets it in after the release")
    void scriptIsKeptOut() {
        LeaseRef lease = take(store, JOB, "cron", TTL);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> scriptAcquires(JOB, 300))
                .withCauseInstanceOf(SQLIntegrityConstraintViolationException.class);
        store.release(ReleaseRequest.of(lease));
        scriptAcquires(JOB, 300);
        assertThat(rows(JOB)).isEqualTo(1);
    }

    @Test
    @Tag("part-of:CRON-3")
    @DisplayName("keeps a lease out while a script has the lock; nothing is written")
    void leaseIsKeptOut() {
        scriptAcquires(JOB, 200);
        scriptAcquires("other", 300);
        assertThat(store.acquire(ask(JOB, "cron", TTL))).isInstanceOfSatisfying(AcquireResult.Held.class, held -> {
            assertThat(held.owner()).isNull();
            assertThat(held.remaining()).isBetween(Duration.ofSeconds(190), Duration.ofSeconds(201));
        });
        assertThat(secondsLeft()).isLessThanOrEqualTo(200);
        take(store, "third", "cron", TTL);
    }

    @Test
    @Tag("part-of:CRON-1")
    @DisplayName("is cleared of everything that expired when a lease is acquired: a killed holder is replaced")
    void expiredIsCleared() {
        scriptAcquires(JOB, 300);
        scriptAcquires("dead", 300);
        scriptAcquires("alive", 300);
        table.execute("UPDATE worker_lock SET expires_at = NOW() - INTERVAL 1 SECOND WHERE lock_key <> 'alive'");
        take(store, JOB, "cron", TTL);
        assertThat(secondsLeft()).isGreaterThan(290);
        assertThat(rows("dead")).isZero();
        assertThat(rows("alive")).isEqualTo(1);
    }

    @Test
    @DisplayName("is cleared of expired rows for a moment only, so that no caller pays for a table full of them")
    void clearedInParts() {
        table.execute(
                "INSERT INTO worker_lock SELECT concat('dead', seq), NOW() - INTERVAL 1 HOUR FROM seq_1_to_100000");
        long start = System.nanoTime();
        take(store, JOB, "cron", TTL);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
        assertThat(table.number("SELECT count(*) FROM worker_lock")).isBetween(1_000L, 99_990L);
    }

    @Test
    @DisplayName("refuses a lock delay, which it could not keep: any caller deletes rows that have expired")
    void lockDelay() {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.acquire(ask(JOB, "cron", TTL).withLockDelay(Duration.ofMinutes(1))))
                .withMessageContainingAll("worker_lock", "lock delay", JOB);
        assertThat(rows(JOB)).isZero();
    }

    @Test
    @Tag("part-of:CRON-3")
    @DisplayName("keeps the lock of whoever took over: a late release compares the expiry that was written")
    void lateRelease() {
        LeaseRef late = take(store, JOB, "cron", TTL);
        table.execute("UPDATE worker_lock SET expires_at = NOW() - INTERVAL 1 SECOND");
        scriptAcquires(JOB, 77);
        assertThat(store.renew(List.of(late))).isEmpty();
        assertThat(store.release(ReleaseRequest.of(late))).isEqualTo(ReleaseResult.NOT_HELD);
        assertThat(secondsLeft()).isBetween(70L, 77L);
    }

    @Test
    @DisplayName("L04 keeps the lock of the next, of the same second too, if the reply to a release was lost")
    void lostRelease() {
        LeaseRef lease = take(store, JOB, "cron", TTL);
        source.loseReplyTo("DELETE");
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> store.release(ReleaseRequest.of(lease)));
        scriptAcquires(JOB, 301);
        scriptAcquires("other", 300);
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.NOT_HELD);
        assertThat(rows(JOB)).isEqualTo(1);
    }

    @Test
    @Tag("part-of:CRON-6")
    @DisplayName("is renewed while the work goes on, and a lock that somebody deleted is told as lost")
    void renewedAndLost() throws Exception {
        CountDownLatch lost = new CountDownLatch(1);
        LeaseRef lease = take(store, "renewed", "cron", TTL);
        assertThat(store.renew(List.of(lease)).get(0).remaining()).isGreaterThanOrEqualTo(TTL);
        try (Leases leases = Leases.builder(store).withoutLog().build()) {
            LeaseOptions often = LeaseOptions.noWait().withTtl(TTL).withRenewEvery(Duration.ofMillis(100));
            Lease held = leases.tryAcquire(Key.of(JOB), often).orElseThrow();
            held.onLost(why -> lost.countDown());
            table.execute("DELETE FROM worker_lock WHERE lock_key = '" + JOB + "'");
            assertThat(lost.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
        }
        assertThat(rows(JOB)).isZero();
    }

    @Test
    @Tag("part-of:CRON-3")
    @DisplayName("Of 64 threads, exactly one gets the lock, whether it is free or expired")
    void race() throws Exception {
        try (RowLeaseStore other = JdbcLeaseStore.builder(session).onRows(RowMapping.workerLock())) {
            for (int round = 0; round < 2; round++) {
                List<AcquireResult> results =
                        Racers.race(64, i -> () -> (i % 2 == 0 ? store : other).acquire(ask(JOB, "racer " + i, TTL)));
                assertThat(results)
                        .filteredOn(AcquireResult.Granted.class::isInstance)
                        .hasSize(1);
                assertThat(results)
                        .filteredOn(AcquireResult.Held.class::isInstance)
                        .hasSize(63);
                table.execute("UPDATE worker_lock SET expires_at = NOW() - INTERVAL 1 SECOND");
            }
        }
    }

    @Test
    @DisplayName("A10 refuses a key that does not fit, or that its collation takes for another")
    void badKeys() {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.acquire(ask("k".repeat(101), "cron", TTL)))
                .withMessageContaining("does not fit");
        take(store, "k".repeat(100), "cron", TTL);
        take(store, JOB, "cron", TTL);
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.acquire(ask("FETCH_news_worker", "cron", TTL)))
                .withMessageContaining(JOB)
                .withMessageContaining("collation");
    }

    @Test
    @DisplayName("SQL in a key is data")
    void injection() {
        String nasty = "x'); DROP TABLE worker_lock; -- ` \" \\ :row {x}";
        LeaseRef lease = take(store, nasty, "cron", TTL);
        assertThat(table.number("SELECT count(*) FROM worker_lock")).isEqualTo(1);
        assertThat(store.find(Key.of(nasty)).orElseThrow().isHeld()).isTrue();
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(table.number("SELECT count(*) FROM worker_lock")).isZero();
    }
}
