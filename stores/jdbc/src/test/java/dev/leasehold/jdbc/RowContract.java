package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Page;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StaleLeaseException;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds for leases on rows of the user's, on every database and for every shape of row. */
@ParameterizedClass(name = "{0}")
@EnumSource(RowShape.class)
abstract class RowContract {
    private static final Duration TTL = Duration.ofMinutes(2);
    private static final Duration LONG = Duration.ofMinutes(10);

    @Parameter
    private RowShape shape;

    private final UnreliableSource source = new UnreliableSource(source());
    private final UserTable table = new UserTable(source(), "jobs");
    private RowLeaseStore store;
    private RowLeaseStore other;

    abstract DataSource source();

    abstract Dialect dialect();

    @BeforeEach
    final void open() {
        table.execute(
                "DROP TABLE IF EXISTS jobs",
                shape.create(dialect()),
                "INSERT INTO jobs (id, title, state) VALUES ('1', 'first', 'NEW'), ('2', 'second', NULL),"
                        + " ('3', 'third', 'READY'), ('4', 'fourth', 'FAILED')");
        store = JdbcLeaseStore.builder(source).onRows(shape.mapping());
        other = JdbcLeaseStore.builder(source()).onRows(shape.mapping());
    }

    @AfterEach
    final void close() {
        store.close();
        other.close();
        table.close();
    }

    private static Key key(String id) {
        return Key.of("jobs/" + id);
    }

    private static Nonce nonce() {
        return new Nonce(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE), 7);
    }

    private static AcquireRequest ask(String id, String owner) {
        return AcquireRequest.of(key(id), nonce(), Owner.of(owner), TTL);
    }

    private static AcquireResult.Granted granted(AcquireResult result) {
        assertThat(result).isInstanceOf(AcquireResult.Granted.class);
        return (AcquireResult.Granted) result;
    }

    private static LeaseRef take(RowLeaseStore from, AcquireRequest request) {
        return new LeaseRef(
                request.key(), request.nonce(), granted(from.acquire(request)).fence());
    }

    private Map<String, String> row(String id) {
        return table.row("id", id);
    }

    private Duration life() {
        return shape.has("since") ? RowShape.FIXED : TTL;
    }

    /** A lease of the first store that the second took over. */
    private LeaseRef takenOver() {
        LeaseRef old = take(store, ask("1", "ann"));
        pauseForATick(); // Real time would pass, and whoever takes over would write another moment.
        table.elapse(shape.mapping(), LONG);
        take(other, ask("1", "bob"));
        return old;
    }

    @Test
    @Tag("part-of:ANALYSIS-1")
    @DisplayName("A free row is granted: the mapped columns say so and the others are as before")
    void free() {
        AcquireRequest request = ask("1", "ann");
        AcquireResult.Granted granted = granted(store.acquire(request));
        assertThat(granted.remaining()).isBetween(life().minusSeconds(5), life().plusSeconds(1));
        assertThat(granted.predecessor()).isNull();
        Map<String, String> row = row("1");
        assertThat(row)
                .containsEntry("title", "first")
                .containsEntry("state", "NEW")
                .containsKey("locked_at");
        assertThat(row.get("locked_by")).isEqualTo(shape.has("owner") ? "ann" : null);
        assertThat(row.get("lock_nonce"))
                .isEqualTo(shape.has("nonce") ? request.nonce().toString() : null);
        assertThat(row.get("lock_fence"))
                .isEqualTo(shape.has("fence") ? granted.fence().toString() : null);
        assertThat(row.containsKey("beat")).isEqualTo(shape.has("heartbeat"));
        assertThat(row("2")).doesNotContainKey("locked_at");
    }

    @Test
    @Tag("part-of:ANALYSIS-1")
    @DisplayName("A row that is not there gives no lease, and none is made")
    void missing() {
        assertThat(store.acquire(ask("9", "ann"))).isEqualTo(new AcquireResult.Missing());
        assertThat(store.find(key("9"))).isEmpty();
        assertThat(table.number("SELECT count(*) FROM jobs")).isEqualTo(4);
    }

    @Test
    @Tag("part-of:ANALYSIS-11")
    @DisplayName("Locks of another program that are alike in all columns are released one by one, on each row")
    void alikeLocks() {
        take(other, ask("1", "theirs"));
        String lock = "locked_at = (SELECT t FROM (SELECT locked_at AS t FROM jobs WHERE id = '1') AS l)"
                + (shape.has("owner") ? ", locked_by = 'theirs'" : "")
                + (shape.has("nonce") ? ", lock_nonce = '" + "0af".repeat(10) + "00'" : "")
                + (shape.has("fence") ? ", lock_fence = 7" : "");
        table.execute("UPDATE jobs SET " + lock + " WHERE id = '2'");
        table.execute("UPDATE jobs SET " + lock + " WHERE id = '1'");
        for (String id : List.of("1", "2")) {
            LeaseRef seen = store.find(key(id)).orElseThrow().record().ref();
            for (int times = 0; times < 2; times++) {
                assertThat(store.release(ReleaseRequest.of(seen))).isEqualTo(ReleaseResult.RELEASED);
                assertThat(store.find(key(id)).orElseThrow().isHeld()).isFalse();
            }
        }
    }

    @Test
    @Tag("part-of:ANALYSIS-2")
    @DisplayName("A finished row is never acquired, also if it looks expired")
    void finished() {
        take(store, ask("1", "ann"));
        table.elapse(shape.mapping(), LONG);
        table.execute("UPDATE jobs SET state = 'READY' WHERE id = '1'");
        for (String id : List.of("1", "3", "4")) {
            Map<String, String> before = row(id);
            assertThat(store.acquire(ask(id, "bob"))).isInstanceOfSatisfying(AcquireResult.Settled.class, settled -> {
                assertThat(settled.settlement().state()).isEqualTo(id.equals("4") ? State.FAILED : State.DONE);
                assertThat(settled.settlement().fields().text("title")).isEqualTo(before.get("title"));
                assertThat(settled.remaining()).isEqualTo(Micros.FOREVER);
            });
            assertThat(row(id)).isEqualTo(before);
        }
    }

    @Test
    @Tag("part-of:ANALYSIS-3")
    @DisplayName("A row that somebody has is refused, with its owner and the time left; nothing is written")
    void held() {
        take(store, ask("1", "ann"));
        Map<String, String> before = row("1");
        AcquireRequest waiting = ask("1", "bob").inLineFor(Duration.ofSeconds(9));
        assertThat(other.acquire(waiting)).isInstanceOfSatisfying(AcquireResult.Held.class, held -> {
            assertThat(held.owner()).isEqualTo(shape.has("owner") ? Owner.of("ann") : null);
            assertThat(held.remaining()).isBetween(life().minusSeconds(10), life().plusSeconds(1));
            assertThat(held.ttl()).isGreaterThanOrEqualTo(held.remaining());
            assertThat(held.inLine()).isFalse();
        });
        assertThat(row("1")).isEqualTo(before);
    }

    @Test
    @Tag("part-of:ANALYSIS-3")
    @DisplayName("An expired row is taken over, with a larger fence, and its last holder is named")
    void takenOverRow() {
        LeaseRef old = take(store, ask("1", "ann"));
        table.elapse(shape.mapping(), LONG);
        AcquireResult.Granted granted = granted(other.acquire(ask("1", "bob")));
        assertThat(granted.fence()).isGreaterThan(old.fence());
        assertThat(granted.predecessor()).isNotNull();
        assertThat(granted.predecessor().owner()).isEqualTo(shape.has("owner") ? Owner.of("ann") : null);
        assertThat(granted.predecessor().fence()).isLessThan(granted.fence());
        assertThat(row("1").get("locked_by")).isEqualTo(shape.has("owner") ? "bob" : null);
    }

    @Test
    @Tag("part-of:ANALYSIS-3")
    @DisplayName("A row without an owner is free, whatever its time says")
    void withoutOwner() {
        take(store, ask("1", "ann"));
        table.execute("UPDATE jobs SET locked_by = ''");
        assertThat(other.acquire(ask("1", "bob")) instanceof AcquireResult.Granted)
                .isEqualTo(shape.has("owner"));
    }

    @Test
    @DisplayName("T06 An expired row stays closed to a caller with a lock delay")
    void lockDelay() {
        take(store, ask("1", "ann"));
        table.elapse(shape.mapping(), life().plusSeconds(10));
        assertThat(other.acquire(ask("1", "bob").withLockDelay(Duration.ofSeconds(30))))
                .isInstanceOf(AcquireResult.Held.class);
        granted(other.acquire(ask("1", "bob").withLockDelay(Duration.ofSeconds(5))));
    }

    @Test
    @Tag("part-of:ANALYSIS-4")
    @DisplayName("Release clears the lock and nothing else; the next caller is granted at once, with a larger fence")
    void release() {
        LeaseRef lease = take(store, ask("1", "ann"));
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        Map<String, String> row = row("1");
        assertThat(row)
                .doesNotContainKeys("locked_at", "locked_by", "lock_nonce")
                .containsEntry("state", "NEW");
        assertThat(row.get("lock_fence"))
                .isEqualTo(shape.has("fence") ? lease.fence().toString() : null);
        LeaseRef next = take(store, ask("1", "bob"));
        assertThat(next.fence()).isGreaterThan(lease.fence());
        assertThat(store.release(ReleaseRequest.of(lease))).as("asked again").isEqualTo(ReleaseResult.RELEASED);
        assertThat(row("1")).as("the next holder's").containsKey("locked_at");
    }

    @Test
    @Tag("part-of:ANALYSIS-4")
    @DisplayName("A release by somebody who lost the row, or never had it, changes nothing")
    void foreignRelease() {
        LeaseRef old = takenOver();
        Map<String, String> before = row("1");
        assertThat(store.release(ReleaseRequest.of(old))).isEqualTo(ReleaseResult.NOT_HELD);
        assertThat(store.release(ReleaseRequest.of(new LeaseRef(key("1"), nonce(), old.fence()))))
                .isEqualTo(ReleaseResult.NOT_HELD);
        assertThat(store.release(ReleaseRequest.withdrawing(key("1"), nonce()))).isEqualTo(ReleaseResult.NOT_HELD);
        assertThat(store.release(ReleaseRequest.of(new LeaseRef(key("9"), nonce(), old.fence()))))
                .isEqualTo(ReleaseResult.NOT_HELD);
        assertThat(row("1")).isEqualTo(before);
    }

    @Test
    @DisplayName("A caller that gives up without knowing its fence ends the lease it got")
    void withdraw() {
        LeaseRef lease = take(store, ask("1", "ann"));
        assertThat(store.release(ReleaseRequest.withdrawing(lease.key(), lease.nonce())))
                .isEqualTo(ReleaseResult.RELEASED);
        assertThat(row("1")).doesNotContainKey("locked_at");
    }

    @Test
    @Tag("part-of:ANALYSIS-5")
    @DisplayName("Renewal extends the row's time and stamps the heartbeat")
    void renew() {
        LeaseRef lease = take(store, ask("1", "ann"));
        long stamp = stamp("1");
        if (shape.has("heartbeat")) {
            table.execute("UPDATE jobs SET beat = NULL");
        }
        pauseForATick();
        List<Renewal> renewals = store.renew(List.of(lease));
        assertThat(renewals).hasSize(1);
        assertThat(renewals.get(0).lease()).isEqualTo(lease);
        assertThat(renewals.get(0).remaining()).isBetween(life().minusSeconds(5), life().plusSeconds(1));
        assertThat(stamp("1")).isGreaterThan(stamp);
        assertThat(row("1").containsKey("beat")).isEqualTo(shape.has("heartbeat"));
        assertThat(store.renew(List.of(lease))).hasSize(1);
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    @Tag("part-of:ANALYSIS-5")
    @DisplayName(
            "Renewal by another TTL counts for later renewals, too, for the holder alone, where rows have a TTL of their own")
    void renewByAnotherTtl() {
        LeaseRef lease = take(store, ask("1", "ann"));
        if (shape.has("since")) {
            assertThatThrownBy(() -> store.renew(lease, TTL.multipliedBy(4)))
                    .isInstanceOf(StoreUnsupportedException.class)
                    .hasMessageContaining("Map an expiry column");
            return;
        }
        for (Duration ttl : List.of(TTL.multipliedBy(4), TTL.dividedBy(2))) {
            pauseForATick();
            assertThat(store.renew(lease, ttl).orElseThrow().remaining())
                    .isBetween(ttl.minusSeconds(5), ttl.plusSeconds(1));
            assertThat(store.find(lease.key()).orElseThrow().remaining())
                    .isBetween(ttl.minusSeconds(5), ttl.plusSeconds(1));
            pauseForATick();
            assertThat(store.renew(List.of(lease)).get(0).remaining())
                    .isBetween(ttl.minusSeconds(5), ttl.plusSeconds(1));
        }
        store.release(ReleaseRequest.of(lease));
        LeaseRef next = take(store, ask("1", "bob"));
        assertThat(store.renew(lease, TTL.multipliedBy(9))).isEmpty();
        assertThat(store.find(next.key()).orElseThrow().remaining()).isLessThanOrEqualTo(TTL.plusSeconds(1));
    }

    private long stamp(String id) {
        return table.number("SELECT " + timeColumn().read() + " FROM jobs WHERE id = '" + id + "'");
    }

    private TimeColumn timeColumn() {
        try {
            return table.find(shape.mapping()).time;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Until the clock of the row shows something else. */
    private void pauseForATick() {
        String clock = "SELECT " + timeColumn().floor(timeColumn().clock());
        long now = table.number(clock);
        while (table.number(clock) == now) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    @Tag("part-of:ANALYSIS-5")
    @DisplayName("R07 Of many leases, exactly those are renewed that are still their holder's")
    void renewMany() {
        LeaseRef lost = takenOver();
        LeaseRef kept = take(store, ask("2", "ann"));
        LeaseRef forged =
                new LeaseRef(kept.key(), kept.nonce(), Fence.of(kept.fence().value() + 1));
        Map<String, String> before = row("1");
        assertThat(store.renew(List.of(lost, kept, forged)))
                .extracting(Renewal::lease)
                .containsExactly(kept);
        assertThat(row("1")).isEqualTo(before);
        assertThat(store.renew(List.of(kept)))
                .as("the forged fence did no harm")
                .hasSize(1);
    }

    @Test
    @DisplayName("L05 A renewal that comes after the release leaves the row free")
    void renewReleased() {
        LeaseRef lease = take(store, ask("1", "ann"));
        store.release(ReleaseRequest.of(lease));
        assertThat(store.renew(List.of(lease))).isEmpty();
        assertThat(row("1")).doesNotContainKeys("locked_at", "locked_by");
    }

    @Test
    @DisplayName("R04 A renewal whose reply was lost does not cost the lease")
    void lostRenewal() {
        LeaseRef lease = take(store, ask("1", "ann"));
        for (int i = 0; i < 3; i++) {
            source.loseReplyTo("UPDATE");
            assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> store.renew(List.of(lease)));
            assertThat(source.hasLost()).isTrue();
        }
        assertThat(store.renew(List.of(lease))).hasSize(1);
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(row("1")).doesNotContainKey("locked_at");
    }

    @Test
    @DisplayName("L04 A release whose reply was lost never frees the row of the next holder")
    void lostRelease() {
        LeaseRef lease = take(store, ask("1", "ann"));
        source.loseReplyTo("UPDATE");
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> store.release(ReleaseRequest.of(lease)));
        assertThat(row("1")).doesNotContainKey("locked_at");
        take(other, ask("1", "bob"));
        Map<String, String> next = row("1");
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.NOT_HELD);
        assertThat(row("1")).isEqualTo(next);
    }

    @Test
    @DisplayName(
            "A05 A grant whose reply was lost is asked for again, or stays locked for its TTL where no nonce tells")
    void lostGrant() {
        AcquireRequest request = ask("1", "ann");
        source.loseReplyTo(dialect() == Dialect.POSTGRESQL ? "WITH" : "UPDATE");
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> store.acquire(request));
        AcquireResult again = store.acquire(request);
        if (shape.has("nonce")) {
            String kept = row("1").get("lock_fence");
            assertThat(kept)
                    .isEqualTo(shape.has("fence") ? granted(again).fence().toString() : null);
        } else {
            assertThat(again).isInstanceOf(AcquireResult.Held.class);
        }
    }

    @Test
    @DisplayName("A05 A06 Asking again gives the same lease; asking again after the release gives nothing")
    void askedAgain() {
        AcquireRequest request = ask("1", "ann");
        LeaseRef first = take(store, request);
        assertThat(take(store, request)).isEqualTo(first);
        assertThat(store.renew(List.of(first))).hasSize(1);
        store.release(ReleaseRequest.of(first));
        assertThat(store.acquire(request)).isEqualTo(new AcquireResult.Spent());
        assertThat(row("1")).doesNotContainKey("locked_at");
    }

    @Test
    @Tag("part-of:ANALYSIS-1")
    @DisplayName("A03 Of 64 threads on a free row, exactly one is granted")
    void raceForFree() throws Exception {
        assertOneWins();
    }

    @Test
    @Tag("part-of:ANALYSIS-1")
    @DisplayName("A04 Of 64 threads on an expired row, exactly one is granted")
    void raceForExpired() throws Exception {
        take(store, ask("1", "dead"));
        table.elapse(shape.mapping(), LONG);
        assertOneWins();
    }

    private void assertOneWins() throws Exception {
        List<AcquireResult> results =
                Racers.race(64, i -> () -> (i % 2 == 0 ? store : other).acquire(ask("1", "racer " + i)));
        assertThat(results).filteredOn(AcquireResult.Granted.class::isInstance).hasSize(1);
        assertThat(results).filteredOn(AcquireResult.Held.class::isInstance).hasSize(63);
        long winner = results.indexOf(results.stream()
                .filter(AcquireResult.Granted.class::isInstance)
                .findFirst()
                .orElseThrow());
        assertThat(row("1").get("locked_by")).isEqualTo(shape.has("owner") ? "racer " + winner : null);
    }

    @Test
    @DisplayName("SQL in a key or an owner is data")
    void injection() {
        String nasty = "1' OR '1'='1'; DROP TABLE jobs; -- \" ` \\ ? :k {now}";
        assertThat(store.acquire(ask(nasty, "ann"))).isEqualTo(new AcquireResult.Missing());
        LeaseRef lease = take(store, ask("1", nasty.substring(0, 40)));
        assertThat(row("1").get("locked_by")).isEqualTo(shape.has("owner") ? nasty.substring(0, 40) : null);
        assertThat(row("2")).doesNotContainKey("locked_at");
        assertThat(store.renew(List.of(lease))).hasSize(1);
        assertThat(store.list(ListRequest.of("jobs/" + nasty)).records()).isEmpty();
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(table.number("SELECT count(*) FROM jobs")).isEqualTo(4);
    }

    @Test
    @DisplayName("An owner that is longer than its column is cut, and still the owner")
    void longOwner() {
        LeaseRef lease = take(store, ask("1", "é".repeat(39) + "😀x"));
        assertThat(row("1").get("locked_by")).isEqualTo(shape.has("owner") ? "é".repeat(39) : null);
        assertThat(store.renew(List.of(lease))).hasSize(1);
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    @DisplayName("A10 Keys are those of the rows to the letter, and must have the mapping's prefix")
    void keys() {
        table.execute("INSERT INTO jobs (id, title) VALUES ('Café', 'c')");
        for (String id : List.of("café", "Cafe", "CAFÉ", "Café ", "01")) {
            assertThat(store.acquire(ask(id, "ann"))).as(id).isEqualTo(new AcquireResult.Missing());
            assertThat(store.find(key(id))).as(id).isEmpty();
        }
        take(store, ask("Café", "ann"));
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.acquire(AcquireRequest.of(Key.of("1"), nonce(), Owner.of("ann"), TTL)))
                .withMessageContaining("begin with \"jobs/\"");
    }

    @Test
    @Tag("part-of:ANALYSIS-10")
    @Tag("part-of:FINALIZE-10")
    @DisplayName("A write in a fenced transaction lands with the current lease, and not with a lost one")
    void fencedWrite() throws SQLException {
        LeaseRef lease = take(store, ask("2", "ann"));
        fenced(lease, "UPDATE jobs SET state = 'READY' WHERE id = '2'");
        assertThat(row("2")).containsEntry("state", "READY");
        LeaseRef old = takenOver();
        assertThatExceptionOfType(StaleLeaseException.class)
                .isThrownBy(() -> fenced(old, "UPDATE jobs SET state = 'FAILED' WHERE id = '1'"));
        assertThat(row("1")).containsEntry("state", "NEW");
    }

    private void fenced(LeaseRef lease, String write) throws SQLException {
        try (Connection connection = source().getConnection()) {
            connection.setAutoCommit(false);
            store.fence(connection, lease);
            connection.createStatement().execute(write);
            connection.commit();
        }
    }

    @Test
    @DisplayName("A row that a transaction has fenced is refused without waiting, and its lease lives on")
    void fencedRow() throws SQLException {
        try (RowLeaseStore hasty = JdbcLeaseStore.builder(source())
                        .callLimit(Duration.ofSeconds(2))
                        .onRows(shape.mapping());
                Connection connection = source().getConnection()) {
            LeaseRef lease = take(hasty, ask("1", "ann"));
            connection.setAutoCommit(false);
            hasty.fence(connection, lease);
            assertThat(hasty.renew(List.of(lease))).hasSize(1);
            assertThat(hasty.acquire(ask("1", "bob"))).isInstanceOf(AcquireResult.Held.class);
            connection.createStatement().execute("UPDATE jobs SET title = 'written' WHERE id = '1'");
            connection.commit();
            assertThat(row("1")).containsEntry("title", "written");
            assertThat(hasty.renew(List.of(lease))).hasSize(1);
        }
    }

    @Test
    @DisplayName("Settling clears the lock; what a row has no place for is refused")
    void settle() {
        LeaseRef lease = take(store, ask("1", "ann"));
        Payload bytes = Payload.of("x".getBytes(StandardCharsets.UTF_8));
        for (Settlement more :
                List.of(Settlement.done(bytes, LONG), Settlement.checkpoint(bytes), Settlement.onHold(null))) {
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> store.settle(SettleRequest.of(lease, more)))
                    .withMessageContaining("jobs/1");
        }
        SettleRequest done = SettleRequest.of(lease, Settlement.done(null, LONG));
        assertThat(store.settle(done)).isEqualTo(SettleResult.SETTLED);
        assertThat(row("1")).doesNotContainKey("locked_at").containsEntry("state", "NEW");
        assertThat(store.settle(done)).isEqualTo(SettleResult.SETTLED);
        assertThat(store.settle(SettleRequest.of(takenOver(), Settlement.failed(null, LONG))))
                .isEqualTo(SettleResult.SUPERSEDED);
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.release(ReleaseRequest.of(lease).withCooldown(Duration.ofSeconds(1))));
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.acquire(ask("2", "ann").withFingerprint("f")))
                .withMessageEndingWith("Leave it out, or use a store with Leasehold's own tables.");
    }

    @Test
    @DisplayName("A row is found as it is: free, held or done")
    void find() {
        assertThat(store.find(key("1")).orElseThrow().record().state()).isEqualTo(State.FREE);
        LeaseRef lease = take(store, ask("1", "ann"));
        LeaseSnapshot held = other.find(key("1")).orElseThrow();
        assertThat(held.isHeld()).isTrue();
        assertThat(held.remaining()).isBetween(life().minusSeconds(5), life().plusSeconds(1));
        assertThat(held.heldFor()).isLessThan(Duration.ofSeconds(5));
        if (shape.has("fence")) {
            assertThat(held.record().fence()).isEqualTo(lease.fence());
        }
        assertThat(other.find(key("3")).orElseThrow().isSettled()).isTrue();
    }

    @Test
    @DisplayName("L10 A lease that was found can be ended by an operator; its holder learns of it")
    void forcedRelease() {
        LeaseRef lease = take(store, ask("1", "ann"));
        LeaseRef seen = other.find(key("1")).orElseThrow().record().ref();
        assertThat(seen).isNotNull();
        assertThat(other.release(ReleaseRequest.of(seen))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(row("1")).doesNotContainKey("locked_at");
        assertThat(store.renew(List.of(lease))).isEmpty();
    }

    @Test
    @DisplayName("Rows are listed in the order of their keys, by prefix, state and page")
    void list() {
        table.execute(
                "INSERT INTO jobs (id, title) VALUES ('a', 'A'), ('B', 'B'), ('é', 'E'), ('食事', 'S'), ('a/..', 'X')");
        take(store, ask("2", "ann"));
        assertThat(ids(ListRequest.of("")))
                .containsExactly("jobs/1", "jobs/2", "jobs/3", "jobs/4", "jobs/B", "jobs/a", "jobs/é", "jobs/食事");
        assertThat(ids(ListRequest.of("jobs/").only(State.HELD))).containsExactly("jobs/2");
        assertThat(ids(ListRequest.of("").only(State.DONE))).containsExactly("jobs/3");
        assertThat(ids(ListRequest.of("").only(State.FAILED))).containsExactly("jobs/4");
        assertThat(ids(ListRequest.of("jobs/a").only(State.FREE))).containsExactly("jobs/a");
        assertThat(ids(ListRequest.of("tasks/"))).isEmpty();
        Page first = store.list(ListRequest.of("").withLimit(6));
        assertThat(first.records()).hasSize(6);
        assertThat(ids(ListRequest.of("").withLimit(6).after(first.next()))).containsExactly("jobs/é", "jobs/食事");
        assertThat(store.list(ListRequest.of("").withLimit(8)).next()).isNull();
        assertThat(ids(ListRequest.of("").after(Key.of("a"))).size()).isEqualTo(8);
        assertThat(ids(ListRequest.of("").after(Key.of("z")))).isEmpty();
    }

    private List<String> ids(ListRequest request) {
        return Stream.of(store.list(request))
                .flatMap(page -> page.records().stream())
                .map(found -> found.key().value())
                .toList();
    }

    @Test
    @DisplayName("Purging drops nothing: the rows are the user's")
    void purge() {
        LeaseRef lease = take(store, ask("1", "ann"));
        table.elapse(shape.mapping(), Duration.ofDays(30));
        assertThat(store.purge(Duration.ZERO, 100)).isZero();
        assertThat(table.number("SELECT count(*) FROM jobs")).isEqualTo(4);
        assertThatCode(() -> store.release(ReleaseRequest.of(lease))).doesNotThrowAnyException();
    }

    @Test
    @DisplayName("A TTL longer than the mapping's is refused; a shorter one is the mapping's")
    void fixedTtl() {
        AcquireRequest tooLong = AcquireRequest.of(key("1"), nonce(), Owner.of("ann"), RowShape.FIXED.plusSeconds(1));
        if (shape.has("since")) {
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> store.acquire(tooLong))
                    .withMessageContaining("PT5M");
        } else {
            assertThat(granted(store.acquire(tooLong)).remaining())
                    .isBetween(RowShape.FIXED, RowShape.FIXED.plusSeconds(2));
        }
    }

    @Test
    @DisplayName("More than one row with a key is an error, and none of them is locked")
    void ambiguous() {
        table.execute(
                "DROP TABLE jobs",
                shape.create(dialect()).replace("PRIMARY KEY", "NOT NULL"),
                "INSERT INTO jobs (id, title) VALUES ('1', 'a'), ('1', 'b')");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.acquire(ask("1", "ann")))
                .withMessageContaining("More than one row");
        assertThat(table.number("SELECT count(*) FROM jobs WHERE locked_at IS NOT NULL"))
                .isZero();
    }
}
