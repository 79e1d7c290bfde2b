package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
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
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A lease on a row that only the written moment tells from the next")
class RowTurnsTest {
    private static final int ROUNDS = 60;
    private static final Duration TTL = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private TestDatabase database;
    private RowMoment moment;
    private RowLeaseStore store;

    private void open(Kind kind, String type) throws SQLException {
        database = kind.fresh(directory);
        Sessions.execute(
                database.source(),
                "CREATE TABLE worker_lock (lock_key varchar(60) PRIMARY KEY, expires_at " + type + " NOT NULL)");
        moment = new RowMoment(database.source());
        store = JdbcLeaseStore.builder(moment).onRows(RowMapping.workerLock());
    }

    private static String fine(Kind kind) {
        return switch (kind) {
            case POSTGRESQL -> "timestamptz";
            case MARIADB, H2 -> "timestamp(6)";
            case SQLITE -> "text";
        };
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    private LeaseRef take(int round) {
        return Ask.take(store, Ask.of(Key.of("job" + round), TTL));
    }

    private static <T> List<T> race(Callable<T> first, Callable<T> second) throws Exception {
        return Race.of(2, racer -> racer == 0 ? first : second);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("is not lost if two of its renewals are under way at once")
    void twoRenewals(Kind kind) throws Exception {
        open(kind, fine(kind));
        LeaseRef lease = take(0);
        for (int round = 0; round < ROUNDS; round++) {
            List<List<Renewal>> both = race(() -> store.renew(List.of(lease)), () -> store.renew(List.of(lease)));
            assertThat(both)
                    .as("round %d", round)
                    .allSatisfy(one -> assertThat(one).hasSize(1));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("R08 has the life that its row has, for a renewal while another call about it is under way")
    void turnIsTaken(Kind kind) throws Exception {
        open(kind, fine(kind));
        AcquireRequest request = Ask.of(Key.of("job"), TTL);
        LeaseRef lease = Ask.take(store, request);
        CountDownLatch isUnderWay = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        moment.before("UPDATE", () -> {
            isUnderWay.countDown();
            goOn.await();
        });
        Threads.Running<AcquireResult> again = Threads.start(() -> store.acquire(request));
        isUnderWay.await();
        try {
            assertThat(store.renew(List.of(lease))).singleElement().satisfies(renewal -> {
                assertThat(renewal.isExtended()).isFalse();
                assertThat(renewal.remaining()).isBetween(TTL.dividedBy(2), TTL);
            });
        } finally {
            goOn.countDown();
        }
        assertThat(again.get()).isInstanceOf(AcquireResult.Granted.class);
        assertThat(store.renew(List.of(lease)))
                .singleElement()
                .satisfies(renewal -> assertThat(renewal.isExtended()).isTrue());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("is gone for a renewal that meets its release just before that is answered")
    void turnIsTakenByRelease(Kind kind) throws Exception {
        open(kind, fine(kind));
        LeaseRef lease = take(0);
        CountDownLatch isUnderWay = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        moment.before("DELETE", () -> {
            Sessions.execute(database.source(), "DELETE FROM worker_lock");
            isUnderWay.countDown();
            goOn.await();
        });
        Threads.Running<ReleaseResult> release = Threads.start(() -> store.release(ReleaseRequest.of(lease)));
        isUnderWay.await();
        Threads.Running<List<Renewal>> renewal = Threads.start(() -> store.renew(List.of(lease)));
        Threads.eventually("the renewal waits for its turn", renewal::isWaiting);
        goOn.countDown();
        release.get();
        assertThat(renewal.get()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    @DisplayName("R08 is not waited for by a renewal that meets the call of fence(), and holds up no other")
    void fencedWhileRenewed(Kind kind) throws Exception {
        open(kind, fine(kind));
        LeaseRef fenced = take(1);
        LeaseRef live = take(2);
        RowMoment atFence = new RowMoment(database.source());
        try (Connection stranger = Sessions.begin(database.source());
                Connection holder = Sessions.begin(atFence)) {
            Sessions.execute(stranger, "SELECT * FROM worker_lock WHERE lock_key = 'job1' FOR UPDATE");
            CountDownLatch isTurn = new CountDownLatch(1);
            atFence.before("", isTurn::countDown);
            Threads.Running<Boolean> fencing = Threads.start(() -> {
                store.fence(holder, fenced);
                return true;
            });
            isTurn.await();
            // The call of fence() waits for the row until the first statement of the renewal.
            moment.before("", () -> {
                stranger.rollback();
                fencing.get();
            });
            long start = System.nanoTime();
            List<Renewal> renewals = store.renew(List.of(fenced, live));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
            assertThat(renewals).extracting(Renewal::lease).containsExactly(fenced, live);
            assertThat(renewals).extracting(Renewal::isExtended).containsExactly(false, true);
            assertThat(renewals.get(0).remaining()).isBetween(TTL.dividedBy(2), TTL);
            holder.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("is released although a renewal is under way")
    void renewalAndRelease(Kind kind) throws Exception {
        open(kind, fine(kind));
        for (int round = 0; round < ROUNDS; round++) {
            LeaseRef lease = take(round);
            List<Object> both =
                    race(() -> store.renew(List.of(lease)), () -> (Object) store.release(ReleaseRequest.of(lease)));
            assertThat(both.get(1)).as("round %d", round).isEqualTo(ReleaseResult.RELEASED);
            assertThat(store.find(lease.key())).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    @DisplayName("fences a transaction although a renewal is under way")
    void renewalAndFence(Kind kind) throws Exception {
        open(kind, fine(kind));
        LeaseRef lease = take(0);
        for (int round = 0; round < ROUNDS; round++) {
            race(() -> store.renew(List.of(lease)), () -> {
                try (Connection connection = Sessions.begin(database.source())) {
                    store.fence(connection, lease);
                    connection.rollback();
                }
                return List.<Renewal>of();
            });
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("L03 does not end its successor's, who wrote a second that a failed renewal had chosen")
    void sameSecond(Kind kind) throws Exception {
        open(kind, kind == Kind.POSTGRESQL ? "timestamp(0)" : "datetime");
        CutSource cut = new CutSource(database.source());
        Key key = Key.of("job");
        try (RowLeaseStore holder = JdbcLeaseStore.builder(cut.source()).onRows(RowMapping.workerLock())) {
            LeaseRef lost = Ask.take(holder, Ask.of(key, Duration.ofSeconds(6)));
            Threads.pause(Duration.ofSeconds(2));
            cut.cut("UPDATE");
            for (int i = 0; i < 3; i++) {
                try {
                    holder.renew(List.of(lost));
                } catch (StoreUnavailableException e) {
                    assertThat(e).as("cut off").isNotNull();
                }
                Threads.pause(Duration.ofSeconds(1));
            }
            cut.heal();
            AcquireRequest next = Ask.of(key, Duration.ofSeconds(3));
            Threads.eventually("taken over", () -> Ask.isGranted(store.acquire(next)));
            assertThat(holder.release(ReleaseRequest.of(lost))).isEqualTo(ReleaseResult.NOT_HELD);
            assertThat(store.acquire(Ask.of(key, TTL))).isInstanceOf(AcquireResult.Held.class);
        }
    }
}
