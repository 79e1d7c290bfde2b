package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.StaleLeaseException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.LogLines;
import dev.leasehold.tck.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A worker that must not run twice, on the record it works for: owner, expiry and heartbeat, in PostgreSQL. */
@DisplayName("An analysis")
class AnalysesTest {
    private static final Duration TTL = Duration.ofMinutes(5);
    private static final RowMapping MAPPING = RowMapping.of("app.analyses")
            .key("id")
            .keyPrefix("analyses/")
            .owner("lockOwner")
            .expiry("lockExpiresAt")
            .heartbeat("lockHeartbeatAt")
            .doneWhen("status", "READY")
            .failedWhen("status", "FAILED");

    private static TestDatabase database;

    private final UUID id = UUID.randomUUID();
    private final String key = "analyses/" + id;
    private final UnreliableSource source = new UnreliableSource(database.source());
    private final UserTable table = new UserTable(database.source(), "app.analyses");
    private RowLeaseStore store;

    @BeforeAll
    static void start() {
        database = TestDatabase.postgres(17);
        try (UserTable table = new UserTable(database.source(), "app.analyses")) {
            table.execute(
                    "CREATE SCHEMA app",
                    "CREATE TYPE app.status AS ENUM ('PENDING', 'PROCESSING', 'READY', 'FAILED')",
                    "CREATE TABLE app.analyses (id uuid PRIMARY KEY, status app.status NOT NULL, result text,"
                            + " \"lockOwner\" text, \"lockExpiresAt\" timestamptz, \"lockHeartbeatAt\" timestamptz)");
        }
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void open() {
        table.execute("INSERT INTO app.analyses (id, status) VALUES ('" + id + "', 'PENDING')");
        store = JdbcLeaseStore.builder(source).onRows(MAPPING);
    }

    @AfterEach
    void close() {
        store.close();
        table.close();
    }

    private Map<String, String> row() {
        return table.row("id", id);
    }

    private long secondsLeft() {
        return table.number(
                "SELECT extract(epoch FROM \"lockExpiresAt\" - now()) FROM app.analyses WHERE id = '" + id + "'");
    }

    private void set(String assignments) {
        table.execute("UPDATE app.analyses SET " + assignments + " WHERE id = '" + id + "'");
    }

    @Test
    @Tag("part-of:ANALYSIS-1")
    @DisplayName("is locked in one statement, for 300 s if that is asked for")
    void firstAcquire() {
        store.acquire(ask("analyses/" + UUID.randomUUID(), "warm-up", TTL));
        source.sent().clear();
        take(store, key, "worker-1", TTL);
        assertThat(source.sent()).hasSize(1);
        assertThat(row()).containsEntry("lockowner", "worker-1").containsEntry("status", "PENDING");
        assertThat(secondsLeft()).isBetween(290L, 300L);
    }

    @Test
    @Tag("part-of:ANALYSIS-1")
    @DisplayName("that does not exist is missing, not locked; nor is a key that is no id")
    void missing() {
        assertThat(store.acquire(ask("analyses/" + UUID.randomUUID(), "w", TTL)))
                .isEqualTo(new AcquireResult.Missing());
        assertThat(store.acquire(ask("analyses/x'; --", "w", TTL))).isEqualTo(new AcquireResult.Missing());
        assertThat(store.acquire(ask(key.toUpperCase(java.util.Locale.ROOT).replace("ANALYSES", "analyses"), "w", TTL)))
                .isEqualTo(new AcquireResult.Missing());
    }

    @Test
    @Tag("part-of:ANALYSIS-2")
    @DisplayName("that is READY or FAILED is not acquired")
    void finished() {
        for (String status : List.of("READY", "FAILED")) {
            set("status = '" + status + "'");
            assertThat(store.acquire(ask(key, "w", TTL))).isInstanceOf(AcquireResult.Settled.class);
            assertThat(row()).doesNotContainKey("lockowner");
        }
    }

    @Test
    @Tag("part-of:ANALYSIS-3")
    @DisplayName("with an owner and time left is refused; without either, or expired, it is acquired")
    void ownerAndExpiry() {
        set("\"lockOwner\" = 'legacy', \"lockExpiresAt\" = now() + interval '10 seconds'");
        assertThat(store.acquire(ask(key, "w", TTL))).isInstanceOfSatisfying(AcquireResult.Held.class, held -> {
            assertThat(held.owner()).isEqualTo(Owner.of("legacy"));
            assertThat(held.remaining()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10));
        });
        set("\"lockExpiresAt\" = now() - interval '1 second'");
        store.release(ReleaseRequest.of(take(store, key, "w", TTL)));
        set("\"lockOwner\" = NULL, \"lockExpiresAt\" = now() + interval '10 seconds'");
        store.release(ReleaseRequest.of(take(store, key, "w", TTL)));
        set("\"lockOwner\" = 'legacy', \"lockExpiresAt\" = NULL");
        store.release(ReleaseRequest.of(take(store, key, "w", TTL)));
        set("\"lockOwner\" = 'legacy', \"lockExpiresAt\" = 'infinity'");
        assertThat(store.acquire(ask(key, "w", TTL))).isInstanceOf(AcquireResult.Held.class);
    }

    @Test
    @Tag("part-of:ANALYSIS-4")
    @DisplayName("keeps its lock when another owner releases, also one with the same name")
    void foreignRelease() {
        take(store, key, "worker", TTL);
        Map<String, String> before = row();
        try (RowLeaseStore other = JdbcLeaseStore.builder(source).onRows(MAPPING)) {
            LeaseRef guess = new LeaseRef(
                    Key.of(key),
                    ask(key, "worker", TTL).nonce(),
                    store.find(Key.of(key)).orElseThrow().record().fence());
            assertThat(other.release(ReleaseRequest.of(guess))).isEqualTo(ReleaseResult.NOT_HELD);
        }
        assertThat(row()).isEqualTo(before);
    }

    @Test
    @Tag("part-of:ANALYSIS-4")
    @DisplayName("whose release fails keeps its result, and a warning is in the log")
    void failedRelease() throws Exception {
        FaultyStore faulty = FaultyStore.inRealTime(store);
        faulty.always(FaultyStore.Verb.RELEASE, new FaultyStore.Fault.Failure(new StoreUnavailableException("down")));
        try (LogLines log = LogLines.of("dev.leasehold");
                Leases leases = Leases.on(faulty)) {
            String result = leases.with(Key.of(key), LeaseOptions.noWait().withTtl(TTL), lease -> "done");
            assertThat(result).isEqualTo("done");
            Threads.eventually(
                    "written",
                    () -> log.lines().stream().anyMatch(line -> line.startsWith("WARNING: ") && line.contains(key)));
            faulty.heal();
        }
    }

    @Test
    @Tag("part-of:ANALYSIS-5")
    @DisplayName("that runs is renewed by itself: the expiry moves on and the heartbeat is stamped")
    void renewed() throws Exception {
        CountDownLatch renewed = new CountDownLatch(2);
        try (Leases leases = Leases.builder(store).withoutLog().build()) {
            leases.onEvent(event -> {
                if (event instanceof LeaseEvent.Renewed) {
                    renewed.countDown();
                }
            });
            Duration ttl = Duration.ofMinutes(1);
            LeaseOptions often = LeaseOptions.noWait().withTtl(ttl).withRenewEvery(Duration.ofMillis(100));
            try (Lease lease = leases.tryAcquire(Key.of(key), often).orElseThrow()) {
                Map<String, String> before = row();
                assertThat(renewed.await(20, TimeUnit.SECONDS)).isTrue();
                Map<String, String> after = row();
                assertThat(after.get("lockexpiresat")).isGreaterThan(before.get("lockexpiresat"));
                assertThat(after.get("lockheartbeatat")).isGreaterThan(before.get("lockheartbeatat"));
                assertThat(lease.isValid()).isTrue();
            }
            assertThat(row()).doesNotContainKeys("lockowner", "lockexpiresat");
        }
    }

    @Test
    @Tag("part-of:ANALYSIS-5")
    @DisplayName("that somebody else has by now is told so, and is left alone")
    void lossIsTold() throws Exception {
        CountDownLatch lost = new CountDownLatch(1);
        try (Leases leases = Leases.builder(store).withoutLog().build()) {
            LeaseOptions often = LeaseOptions.noWait().withTtl(TTL).withRenewEvery(Duration.ofMillis(100));
            Lease lease = leases.tryAcquire(Key.of(key), often).orElseThrow();
            lease.onLost(why -> lost.countDown());
            set("\"lockOwner\" = 'usurper', \"lockExpiresAt\" = now() + interval '7 minutes'");
            assertThat(lost.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(lease.state()).isEqualTo(LeaseState.LOST);
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::close);
        }
        assertThat(row()).containsEntry("lockowner", "usurper");
        assertThat(secondsLeft()).isGreaterThan(400);
    }

    @Test
    @Tag("part-of:ANALYSIS-6")
    @DisplayName("has the TTL that was asked for, in the row and in the lease")
    void ttl() {
        LeaseRef lease = take(store, key, "w", Duration.ofSeconds(77));
        assertThat(secondsLeft()).isBetween(67L, 77L);
        set("\"lockHeartbeatAt\" = NULL");
        assertThat(store.renew(List.of(lease)).get(0).remaining())
                .isBetween(Duration.ofSeconds(70), Duration.ofSeconds(78));
        assertThat(row()).containsKey("lockheartbeatat");
    }

    @Test
    @Tag("part-of:ANALYSIS-7")
    @DisplayName("that is locked or finished is skipped without an error, and the reason can be told")
    void skipped() {
        try (Leases leases = Leases.builder(store).withoutLog().build()) {
            LeaseOptions options = LeaseOptions.noWait().withTtl(TTL);
            set("\"lockOwner\" = 'w1', \"lockExpiresAt\" = now() + interval '1 minute'");
            assertThat(reason(leases.tryAcquire(Key.of(key), options))).isInstanceOf(AcquireResult.Held.class);
            set("status = 'READY'");
            assertThat(reason(leases.tryAcquire(Key.of(key), options))).isInstanceOf(AcquireResult.Settled.class);
            assertThat(leases.tryAcquire(Key.of(key), options).ifAcquired(lease -> {}))
                    .isFalse();
        }
    }

    @Test
    @DisplayName("that is missing is told apart from one that is locked or finished")
    void missingIsTold() {
        try (Leases leases = Leases.builder(store).withoutLog().build()) {
            Key none = Key.of("analyses/" + UUID.randomUUID());
            assertThat(reason(leases.tryAcquire(none, LeaseOptions.noWait().withTtl(TTL))))
                    .isEqualTo(new AcquireResult.Missing());
        }
    }

    private static AcquireResult reason(Acquisition acquisition) {
        assertThat(acquisition).isInstanceOf(Acquisition.Refused.class);
        return ((Acquisition.Refused) acquisition).answer();
    }

    @Test
    @Tag("part-of:ANALYSIS-10")
    @DisplayName("whose worker woke too late is not written over: the late write is refused")
    void lateWrite() throws SQLException {
        LeaseRef late = take(store, key, "w1", TTL);
        set("\"lockExpiresAt\" = now() - interval '1 second'");
        try (RowLeaseStore other = JdbcLeaseStore.builder(database.source()).onRows(MAPPING)) {
            LeaseRef current = take(other, key, "w2", TTL);
            finish(other, current, "second");
            assertThat(other.release(ReleaseRequest.of(current))).isEqualTo(ReleaseResult.RELEASED);
        }
        assertThatExceptionOfType(StaleLeaseException.class).isThrownBy(() -> finish(store, late, "first"));
        assertThat(row()).containsEntry("result", "second").containsEntry("status", "READY");
    }

    private void finish(RowLeaseStore holder, LeaseRef lease, String result) throws SQLException {
        try (Connection connection = database.source().getConnection()) {
            connection.setAutoCommit(false);
            holder.fence(connection, lease);
            connection
                    .createStatement()
                    .execute("UPDATE app.analyses SET status = 'READY', result = '" + result + "' WHERE id = '" + id
                            + "'");
            connection.commit();
        }
    }
}
