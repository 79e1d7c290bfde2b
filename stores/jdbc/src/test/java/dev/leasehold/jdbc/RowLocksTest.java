package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Renewal;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** SQLite locks no rows but the whole database: there is nothing to pass by. */
@ParameterizedClass(name = "{0}")
@EnumSource(value = Kind.class, mode = Mode.EXCLUDE, names = "SQLITE")
@DisplayName("A row of the user's that a transaction has locked")
class RowLocksTest {
    private static final Duration TTL = Duration.ofMinutes(5);
    /** Far less than a lock is waited for, and far more than a refusal takes. */
    private static final Duration SOON = Duration.ofSeconds(1);

    @TempDir
    private Path directory;

    @Parameter
    private Kind kind;

    private TestDatabase database;
    private RowTables tables;
    private RowMoment moment;
    private RowLeaseStore store;
    private RowLeaseStore other;
    private UserTable user;

    private void open(RowTables chosen) {
        tables = chosen;
        database = kind.fresh(directory);
        moment = new RowMoment(database.source());
        user = new UserTable(database.source(), tables.table());
        tables.create(user, kind);
        store = JdbcLeaseStore.builder(moment).connections(1).onRows(tables.mapping());
        other = JdbcLeaseStore.builder(database.source()).onRows(tables.mapping());
        // Statements are prepared, and plans made, before time is measured.
        take(store, "2", "warm-up", TTL);
        user.elapse(tables.mapping(), TTL.plusSeconds(1));
        take(store, "2", "warm-up", TTL);
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
        user.close();
        database.close();
    }

    private void leaveExpired(String key) {
        take(other, key, "dead", TTL);
        user.elapse(tables.mapping(), TTL.plusSeconds(1));
    }

    private Connection lock(String key) throws SQLException {
        Connection stranger = Sessions.begin(database.source());
        Sessions.execute(
                stranger,
                "SELECT * FROM " + tables.table() + " WHERE " + tables.keyColumn() + " = '" + key + "' FOR UPDATE");
        return stranger;
    }

    /** The answer, which must come soon. */
    private AcquireResult soon(AcquireRequest request) {
        long start = System.nanoTime();
        AcquireResult result = store.acquire(request);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
        return result;
    }

    private void assertClosed(AcquireResult result) {
        assertThat(result).isInstanceOfSatisfying(AcquireResult.Held.class, held -> {
            assertThat(held.owner()).isNull();
            assertThat(held.remaining()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(1));
        });
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "WORKER_LOCK")
    @DisplayName("L08 is held by nobody known if it looks free, at once, and can be had afterwards")
    void free(RowTables chosen) throws SQLException {
        open(chosen);
        try (Connection stranger = lock("1")) {
            assertClosed(soon(ask("1", "ann", TTL)));
            stranger.rollback();
        }
        take(store, "1", "ann", TTL);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("L08 is held by nobody known if it looks expired, at once, and can be had afterwards")
    void expired(RowTables chosen) throws SQLException {
        open(chosen);
        leaveExpired("1");
        try (Connection stranger = lock("1")) {
            assertClosed(soon(ask("1", "ann", TTL)));
            stranger.rollback();
        }
        take(store, "1", "ann", TTL);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("L08 is still its holder's, whom a refusal names")
    void held(RowTables chosen) throws SQLException {
        open(chosen);
        LeaseRef lease = take(other, "1", "ann", TTL);
        try (Connection stranger = Sessions.begin(database.source())) {
            other.fence(stranger, lease);
            assertThat(soon(ask("1", "bob", TTL)))
                    .isInstanceOfSatisfying(
                            AcquireResult.Held.class,
                            held -> assertThat(held.remaining()).isGreaterThan(TTL.minusMinutes(1)));
            stranger.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A05 is not granted to a caller that asks again while a rival takes it over")
    void takenOver(RowTables chosen) throws Exception {
        open(chosen);
        AcquireRequest request = ask("1", "ann", TTL);
        assertThat(store.acquire(request)).isInstanceOf(AcquireResult.Granted.class);
        user.elapse(tables.mapping(), TTL.plusSeconds(1));
        TimeColumn time = user.find(tables.mapping()).time;
        try (Connection rival = Sessions.begin(database.source())) {
            Sessions.execute(
                    rival,
                    "UPDATE " + tables.table() + " SET "
                            + (tables.makesRows()
                                    ? ""
                                    : "lock_nonce = 'rival', lock_fence = lock_fence + 1, locked_by = 'rival', ")
                            + tables.timeColumn() + " = " + time.writing(time.clock() + " + 60000000") + " WHERE "
                            + tables.keyColumn() + " = '1'");
            assertThat(store.acquire(ask("2", "bob", TTL))).isInstanceOf(AcquireResult.Granted.class);
            Threads.Running<AcquireResult> again = Threads.start(() -> store.acquire(request));
            Threads.pause(Duration.ofMillis(20));
            rival.commit();
            assertThat(again.get()).isInstanceOf(AcquireResult.Held.class);
        }
        assertThat(store.acquire(request))
                .isInstanceOfSatisfying(
                        AcquireResult.Held.class,
                        held -> assertThat(held.remaining()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(61)));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A02 holds up no caller that asks for another")
    void others(RowTables chosen) throws SQLException {
        open(chosen);
        user.elapse(tables.mapping(), TTL.plusSeconds(1));
        try (Connection stranger = lock("2")) {
            assertThat(soon(ask("1", "ann", TTL))).isInstanceOf(AcquireResult.Granted.class);
            stranger.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "WORKER_LOCK")
    @DisplayName("L08 is held by nobody known while a script makes or deletes it in a transaction")
    void halfMade(RowTables chosen) throws SQLException {
        open(chosen);
        leaveExpired("1");
        try (Connection script = Sessions.begin(database.source())) {
            Sessions.execute(script, "DELETE FROM worker_lock WHERE lock_key = '1'");
            assertClosed(soon(ask("1", "ann", TTL)));
            script.rollback();
            Sessions.execute(script, "INSERT INTO worker_lock VALUES ('new', (SELECT CURRENT_TIMESTAMP))");
            assertClosed(soon(ask("new", "ann", TTL)));
            script.rollback();
        }
        take(store, "1", "ann", TTL);
        take(store, "new", "ann", TTL);
    }

    @ParameterizedTest
    @EnumSource(names = {"NONCE", "EVERYTHING"})
    @DisplayName("R08 and has expired is waited for by its own renewal, after the others are renewed")
    void renewedTogether(RowTables chosen) throws Exception {
        open(chosen);
        LeaseRef expired = take(store, "1", "ann", TTL);
        user.elapse(tables.mapping(), TTL.plusSeconds(1));
        LeaseRef live = take(store, "2", "ann", TTL);
        try (Connection stranger = lock("1")) {
            long before = stamp("2");
            Threads.Running<List<Renewal>> renewing = Threads.start(() -> store.renew(List.of(expired, live)));
            long start = System.nanoTime();
            Threads.eventually("the other is renewed", () -> stamp("2") > before);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
            stranger.rollback();
            assertThat(renewing.get()).extracting(Renewal::lease).containsExactlyInAnyOrder(expired, live);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NONCE", "EVERYTHING"})
    @DisplayName("R08 and has expired has no life left if it stays locked, and the others are answered")
    void staysLocked(RowTables chosen) throws SQLException {
        open(chosen);
        LeaseRef expired = take(store, "1", "ann", TTL);
        user.elapse(tables.mapping(), TTL.plusSeconds(1));
        LeaseRef live = take(store, "2", "ann", TTL);
        try (Connection stranger = lock("1")) {
            List<Renewal> renewals = store.renew(List.of(expired, live));
            assertThat(renewals).extracting(Renewal::lease).containsExactly(expired, live);
            assertThat(renewals).extracting(Renewal::isExtended).containsExactly(false, true);
            assertThat(renewals.get(0).remaining()).isZero();
            stranger.rollback();
        }
        assertThat(store.renew(List.of(expired)))
                .singleElement()
                .satisfies(renewal -> assertThat(renewal.isExtended()).isTrue());
    }

    private long stamp(String key) {
        try {
            return user.number("SELECT " + user.find(tables.mapping()).time.read() + " FROM " + tables.table()
                    + " WHERE " + tables.keyColumn() + " = '" + key + "'");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("R08 is renewed in time while all other connections are busy")
    void spareConnection(RowTables chosen) throws Exception {
        open(chosen);
        LeaseRef lease = take(store, "1", "ann", TTL);
        CountDownLatch isBusy = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        moment.before("", () -> {
            isBusy.countDown();
            goOn.await();
        });
        Threads.Running<AcquireResult> busy = Threads.start(() -> store.acquire(ask("2", "bob", TTL)));
        isBusy.await();
        long start = System.nanoTime();
        assertThat(store.renew(List.of(lease))).hasSize(1);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
        goOn.countDown();
        assertThat(busy.get()).isInstanceOf(AcquireResult.Held.class);
    }

    @Test
    @DisplayName("stays in worker_lock with many like it, while every other row that has expired is dropped")
    void lockedRowsStay() throws SQLException {
        open(RowTables.WORKER_LOCK);
        List<String> locked = expired("a");
        locked.addAll(expired("z"));
        expired("m");
        try (Connection stranger = Sessions.begin(database.source())) {
            for (String key : locked) {
                Sessions.execute(stranger, "SELECT * FROM worker_lock WHERE lock_key = '" + key + "' FOR UPDATE");
            }
            take(store, "job", "cron", TTL);
            assertThat(user.number("SELECT count(*) FROM worker_lock WHERE lock_key LIKE 'm%'"))
                    .isZero();
            assertThat(user.number("SELECT count(*) FROM worker_lock")).isEqualTo(locked.size() + 2);
            stranger.rollback();
        }
    }

    /** Rows that have expired, more than are read at a time. */
    private List<String> expired(String prefix) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            keys.add(prefix + i);
            user.execute("INSERT INTO worker_lock VALUES ('" + prefix + i + "', '2020-01-01 00:00:00')");
        }
        return keys;
    }
}
