package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Race;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@DisplayName("A record that a stranger's transaction has locked")
class LockedRowTest {
    private static final Duration INSTANT = Duration.ofNanos(1_000);
    /** Of the slowest clock, which is that of H2 and SQLite. */
    private static final Duration TWO_TICKS = Duration.ofMillis(2);

    @TempDir
    private Path directory;

    private TestDatabase database;
    private RowMoment moment;
    private JdbcLeaseStore store;

    private void open(Kind kind, Duration callLimit) {
        database = kind.fresh(directory);
        moment = new RowMoment(database.source());
        store = JdbcLeaseStore.builder(moment).callLimit(callLimit).open();
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    private void takeAndLetExpire(Key key) {
        Ask.take(store, Ask.of(key, INSTANT));
        Threads.pause(TWO_TICKS);
    }

    private Connection lock(Kind kind, Key key) throws SQLException {
        if (kind != Kind.SQLITE) {
            return Sessions.lockRow(database.source(), key);
        }
        Connection stranger = Sessions.begin(database.source());
        Sessions.execute(stranger, "UPDATE leasehold_schema SET version = version");
        return stranger;
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A08 for longer than the TTL is granted to a caller that waits, with a deadline that is honest")
    void honestDeadline(Kind kind) throws Exception {
        open(kind, Duration.ofSeconds(5));
        Key key = Ask.key();
        takeAndLetExpire(key);
        try (Leases leases = Leases.on(store)) {
            Threads.Running<Acquisition> acquiring;
            try (Connection stranger = lock(kind, key)) {
                acquiring = Threads.start(() -> leases.acquire(
                        key, LeaseOptions.waitFor(Duration.ofSeconds(20)).withTtl(Duration.ofSeconds(1))));
                Threads.pause(Duration.ofMillis(1_500));
                stranger.rollback();
            }
            Lease lease = acquiring.get().orElseThrow();
            Duration ours = lease.remaining();
            LeaseSnapshot found = store.find(key).orElseThrow();
            Duration theirs = Micros.toDuration(found.record().expiryMicros() - found.nowMicros());
            assertThat(ours).isPositive().isLessThanOrEqualTo(theirs);
            assertThat(lease.isValid()).isTrue();
            assertThat(store.acquire(Ask.of(key))).isInstanceOf(AcquireResult.Held.class);
        }
    }

    /** A release cannot be done without the record, and says so; SQLite's whole database is locked, for all verbs. */
    @ParameterizedTest
    @EnumSource
    @DisplayName("L08 for longer than a call may take gives a release no answer, in time and with the cause")
    void noAnswer(Kind kind) throws SQLException {
        open(kind, Duration.ofMillis(500));
        LeaseRef lease = Ask.take(store, Ask.key());
        try (Connection stranger = lock(kind, lease.key())) {
            long start = System.nanoTime();
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> store.release(ReleaseRequest.of(lease)))
                    .withCauseInstanceOf(SQLException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
            stranger.rollback();
        }
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
    }

    /** The stranger ends its transaction just as the caller has waited for long enough. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    @DisplayName("L08 is granted if the stranger has ended the lease by the time the caller gives up waiting")
    void endedInTime(Kind kind) throws Exception {
        open(kind, Duration.ofSeconds(5));
        Key key = Ask.key();
        Ask.take(store, key);
        try (Connection stranger = lock(kind, key)) {
            Sessions.execute(stranger, "UPDATE leasehold_lease SET expiry = 1");
            moment.afterFailure(stranger::commit);
            assertThat(store.acquire(Ask.of(key).inLineFor(Ask.LONG))).matches(Ask::isGranted);
            assertThat(moment.hasPassed()).as("it met the lock").isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    @DisplayName("although it is free holds up none of those who ask for others at the same time")
    void othersAreGranted(Kind kind) throws Exception {
        open(kind, Duration.ofSeconds(5));
        List<Key> keys = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            LeaseRef lease = Ask.take(store, Ask.key());
            store.release(ReleaseRequest.of(lease));
            keys.add(lease.key());
        }
        try (Connection stranger = lock(kind, keys.get(0))) {
            List<AcquireResult> answers = Race.of(keys.size(), racer -> () -> store.acquire(Ask.of(keys.get(racer))));
            assertThat(answers.get(0)).isInstanceOf(AcquireResult.Held.class);
            assertThat(answers.subList(1, answers.size())).allMatch(Ask::isGranted);
            stranger.rollback();
        }
    }

    /** SQLite locks no rows but the whole database, and only for whoever writes. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    @DisplayName("R08 holds up neither a refusal nor the renewal of others")
    void othersGoOn(Kind kind) throws Exception {
        open(kind, Duration.ofSeconds(5));
        LeaseRef locked = Ask.take(store, Ask.key());
        LeaseRef other = Ask.take(store, Ask.key());
        try (Connection stranger = lock(kind, locked.key())) {
            Threads.Running<List<Renewal>> renewal = Threads.start(() -> store.renew(List.of(locked, other)));
            Threads.Running<AcquireResult> refusal = Threads.start(() -> store.acquire(Ask.of(other.key())));
            Threads.pause(Duration.ofSeconds(1));
            assertThat(renewal.task().isDone()).as("renewed").isTrue();
            assertThat(refusal.task().isDone()).as("refused").isTrue();
            assertThat(renewal.get()).hasSize(2);
            assertThat(refusal.get()).isInstanceOf(AcquireResult.Held.class);
            stranger.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    @DisplayName("A02 does not hold up the refusal of one who never saw it, whatever the last such record was")
    void refusalOnlyReads(Kind kind) throws Exception {
        open(kind, Duration.ofSeconds(5));
        Key free = Ask.key();
        Key held = Ask.key();
        store.release(ReleaseRequest.of(Ask.take(store, free)));
        Ask.take(store, held);
        try (JdbcLeaseStore other = JdbcLeaseStore.of(database.source());
                JdbcLeaseStore hopeful = JdbcLeaseStore.of(database.source());
                Connection stranger = lock(kind, held)) {
            Ask.take(hopeful, free);
            Threads.Running<AcquireResult> refusal = Threads.start(() -> other.acquire(Ask.of(held)));
            Threads.Running<AcquireResult> disappointed = Threads.start(() -> hopeful.acquire(Ask.of(held)));
            Threads.pause(Duration.ofSeconds(1));
            assertThat(refusal.task().isDone()).as("refused").isTrue();
            assertThat(disappointed.task().isDone()).as("refused after a guess").isTrue();
            assertThat(refusal.get()).isInstanceOf(AcquireResult.Held.class);
            assertThat(disappointed.get()).isInstanceOf(AcquireResult.Held.class);
            stranger.rollback();
        }
    }

    /** MySQL gives all who wait for such a record a shared lock, and then each waits for the others to give it up. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("A15 because it was about to make it, and then does not, fails none of those who wait to make it")
    void firstInsertDeadlock(Kind kind) throws Exception {
        open(kind, Duration.ofSeconds(5));
        int before = deadlocks(kind);
        for (int round = 0; round < 50 && (round == 0 || deadlocks(kind) == before); round++) {
            assertThat(answersWhileMaking(Ask.key())).filteredOn(Ask::isGranted).hasSizeLessThan(2);
        }
        if (kind == Kind.MARIADB) {
            assertThat(deadlocks(kind)).as("deadlocks, or nothing was tested").isGreaterThan(before);
        }
    }

    private List<AcquireResult> answersWhileMaking(Key key) throws Exception {
        try (Connection stranger = Sessions.begin(database.source())) {
            Sessions.insertFree(stranger, key);
            List<Threads.Running<AcquireResult>> waiting = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                // A caller that waits in line goes straight to the statement that makes a record.
                AcquireRequest request = Ask.of(key).inLineFor(Ask.LONG);
                waiting.add(Threads.start(() -> store.acquire(request)));
            }
            Threads.pause(Duration.ofMillis(30));
            stranger.rollback();
            List<AcquireResult> answers = new ArrayList<>();
            for (Threads.Running<AcquireResult> one : waiting) {
                answers.add(one.get());
            }
            return answers;
        }
    }

    private int deadlocks(Kind kind) throws SQLException {
        return kind != Kind.MARIADB
                ? 0
                : Integer.parseInt(Sessions.ask(
                        database.source(),
                        "SELECT count FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'"));
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
    @DisplayName("is left out by a purge, which drops the others at once")
    void purge(Kind kind) throws Exception {
        open(kind, Duration.ofSeconds(5));
        List<LeaseRef> released = new ArrayList<>();
        for (String name : List.of("p1", "p2", "p3")) {
            LeaseRef lease = Ask.take(store, Key.of(name));
            store.release(ReleaseRequest.of(lease));
            released.add(lease);
        }
        Threads.pause(TWO_TICKS);
        try (Connection stranger = lock(kind, released.get(0).key())) {
            long start = System.nanoTime();
            assertThat(store.purge(Duration.ZERO, 100)).isEqualTo(2);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
            stranger.rollback();
        }
        assertThat(store.find(Key.of("p1"))).isPresent();
        assertThat(store.find(Key.of("p3"))).isEmpty();
        assertThat(store.purge(Duration.ZERO, 100)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("A16 and another, in the other order than two who ask for many, fails neither")
    void oppositeOrders(Kind kind) throws Exception {
        open(kind, Duration.ofSeconds(5));
        LeaseRef first = Ask.take(store, Ask.key());
        LeaseRef second = Ask.take(store, Ask.key());
        List<List<Renewal>> renewals = Race.of(
                16, racer -> () -> store.renew(racer % 2 == 0 ? List.of(first, second) : List.of(second, first)));
        assertThat(renewals).allSatisfy(both -> assertThat(both).hasSize(2));
    }
}
