package dev.leasehold.jdbc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Place;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StaleLeaseException;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A transaction that is fenced by a lease")
class FencedTransactionTest extends EffectCase {
    private static final Duration BRIEF = Duration.ofMillis(300);

    private JdbcLeaseStore rival;

    @Override
    void open(Kind kind) throws SQLException {
        super.open(kind);
        rival = JdbcLeaseStore.of(database.source());
    }

    @AfterEach
    void close() {
        rival.close();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("part-of:ANALYSIS-10")
    @DisplayName("commits while the lease is current")
    void current(Kind kind) throws SQLException {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.key());
        try (Connection connection = Sessions.begin(database.source())) {
            store.fence(connection, lease);
            write(connection, lease.fence());
            connection.commit();
        }
        assertThat(effects()).isEqualTo("1");
    }

    @ParameterizedTest
    @EnumSource
    @Tag("part-of:ANALYSIS-10")
    @DisplayName("fails if somebody else has the lease by now, and what it wrote is rolled back")
    void stale(Kind kind) throws SQLException {
        open(kind);
        Key key = Ask.key();
        LeaseRef lease = Ask.take(store, key);
        store.release(ReleaseRequest.of(lease));
        Ask.take(rival, key);
        try (Connection connection = Sessions.begin(database.source())) {
            write(connection, lease.fence());
            assertThatExceptionOfType(StaleLeaseException.class)
                    .isThrownBy(() -> store.fence(connection, lease))
                    .withMessageContaining(key.value());
            connection.rollback();
        }
        assertThat(effects()).isEqualTo("0");
    }

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    @Tag("part-of:ANALYSIS-10")
    @DisplayName("keeps everybody from taking the lease over until it ends, though the lease expires meanwhile")
    void noTakeover(Kind kind) throws Exception {
        open(kind);
        Key key = Ask.key();
        LeaseRef lease = Ask.take(store, Ask.of(key, BRIEF));
        AcquireRequest request = Ask.of(key);
        try (Connection connection = Sessions.begin(database.source())) {
            store.fence(connection, lease);
            Threads.pause(BRIEF.multipliedBy(2));
            if (kind != Kind.SQLITE) {
                // SQLite locks the whole database: there a call gets no answer before the transaction ends.
                assertThat(rival.acquire(request)).isInstanceOf(AcquireResult.Held.class);
            }
            write(connection, lease.fence());
            connection.commit();
        }
        assertThat(Ask.granted(rival.acquire(request)).fence()).isGreaterThan(lease.fence());
        assertThat(effects()).isEqualTo("1");
    }

    /** On SQLite, which has one writer at a time, no place can be refreshed before the transaction ends. */
    @ParameterizedTest
    @Tag("slow")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    @DisplayName("keeps the callers in line in their order, though it lasts longer than a place lives by itself")
    void line(Kind kind) throws Exception {
        open(kind);
        Duration life = Duration.ofSeconds(1);
        LeaseRef holder = Ask.take(store, Ask.key());
        AcquireRequest first = Ask.of(holder.key()).inLineFor(life);
        AcquireRequest second = Ask.of(holder.key()).inLineFor(life);
        assertThat(rival.acquire(first)).satisfies(FencedTransactionTest::assertInLine);
        assertThat(store.acquire(second)).satisfies(FencedTransactionTest::assertInLine);
        List<Long> since = line(holder.key(), Place::sinceMicros);
        try (Connection connection = Sessions.begin(database.source())) {
            store.fence(connection, holder);
            store.settle(
                    connection, SettleRequest.checkpoint(holder, Settlement.checkpoint(Payload.of("half done")), 1));
            long end = System.nanoTime() + life.multipliedBy(3).toNanos();
            while (System.nanoTime() - end < 0) {
                // The second asks first: if its place had lapsed, it would come before the other.
                assertThat(store.acquire(second)).satisfies(FencedTransactionTest::assertInLine);
                assertThat(rival.acquire(first)).satisfies(FencedTransactionTest::assertInLine);
                Threads.pause(life.dividedBy(10));
            }
            connection.commit();
        }
        assertThat(line(holder.key(), Place::nonce)).containsExactly(first.nonce(), second.nonce());
        assertThat(line(holder.key(), Place::sinceMicros)).isEqualTo(since);
        store.release(ReleaseRequest.of(holder));
        assertThat(store.find(holder.key()).orElseThrow().record().ref().nonce())
                .isEqualTo(first.nonce());
    }

    private static void assertInLine(AcquireResult answer) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        AcquireResult.Held.class,
                        held -> assertThat(held.inLine()).as("a place in line").isTrue());
    }

    private <T> List<T> line(Key key, Function<Place, T> part) {
        return store.find(key).orElseThrow().record().line().stream().map(part).toList();
    }

    /** SQLite has one writer at a time: there, whatever writes is held up by a transaction that writes. */
    @ParameterizedTest
    @Tag("slow")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    @DisplayName("R08 holds up neither the renewal of its own lease nor that of others")
    void renewals(Kind kind) throws Exception {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.key());
        LeaseRef other = Ask.take(store, Ask.key());
        try (Connection connection = Sessions.begin(database.source())) {
            store.fence(connection, lease);
            List<Renewal> renewals = CompletableFuture.supplyAsync(() -> store.renew(List.of(lease, other)))
                    .get(2, SECONDS);
            assertThat(renewals).extracting(Renewal::lease).containsExactlyInAnyOrder(lease, other);
            assertThat(renewals)
                    .allSatisfy(
                            renewal -> assertThat(renewal.remaining()).isBetween(Ask.LONG.minusSeconds(30), Ask.LONG));
            connection.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @Tag("slow")
    @DisplayName("R08 that has expired is not renewed past somebody who is just taking it over")
    void renewalDuringTakeover(Kind kind) throws Exception {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.of(Ask.key(), Duration.ofMillis(1)));
        try (Connection taker = Sessions.lockRow(database.source(), lease.key())) {
            Sessions.execute(taker, "UPDATE leasehold_lease SET fence = fence + 1");
            assertThat(store.renew(List.of(lease))).containsExactly(Renewal.notExtended(lease, Duration.ZERO));
            taker.commit();
        }
        assertThat(store.renew(List.of(lease))).isEmpty();
    }

    @ParameterizedTest
    @Tag("slow")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    @DisplayName("R15 leaves its lease the TTL that it has, and does not hold up a renewal with another one")
    void renewalWithTtl(Kind kind) throws Exception {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.key());
        Duration other = Ask.LONG.multipliedBy(2);
        try (Connection connection = Sessions.begin(database.source())) {
            store.fence(connection, lease);
            Renewal renewal = CompletableFuture.supplyAsync(() -> store.renew(lease, other))
                    .get(2, SECONDS)
                    .orElseThrow();
            assertThat(renewal.isExtended()).isFalse();
            assertThat(renewal.remaining()).isBetween(Ask.LONG.minusSeconds(30), Ask.LONG);
            connection.rollback();
        }
        assertThat(store.renew(List.of(lease))).containsExactly(new Renewal(lease, Ask.LONG));
        assertThat(store.renew(lease, other)).contains(new Renewal(lease, other));
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @Tag("slow")
    @DisplayName("R16 that has expired is not renewed with another TTL past a rival that is just taking it over")
    void renewalWithTtlDuringTakeover(Kind kind) throws Exception {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.of(Ask.key(), Duration.ofMillis(1)));
        try (Connection taker = Sessions.lockRow(database.source(), lease.key())) {
            Sessions.execute(taker, "UPDATE leasehold_lease SET fence = fence + 1");
            assertThat(store.renew(lease, Ask.LONG)).contains(Renewal.notExtended(lease, Duration.ZERO));
            taker.commit();
        }
        assertThat(store.renew(lease, Ask.LONG)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("is refused on a connection that commits by itself, and so is a settlement")
    void commitsByItself(Kind kind) throws SQLException {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.key());
        SettleRequest done = SettleRequest.of(lease, Settlement.done(null, Ask.LONG));
        try (Connection connection = database.source().getConnection()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> store.fence(connection, lease))
                    .withMessageContaining("setAutoCommit(false)");
            assertThatIllegalStateException()
                    .isThrownBy(() -> store.settle(connection, done))
                    .withMessageContaining("setAutoCommit(false)");
            assertThat(connection.getAutoCommit()).isTrue();
        }
        assertThat(store.renew(List.of(lease))).as("still held").hasSize(1);
    }

    @Test
    @DisplayName("may be begun by hand on SQLite, whose driver cannot begin one that writes")
    void begunByHand() throws SQLException {
        open(Kind.SQLITE);
        LeaseRef lease = Ask.take(store, Ask.key());
        try (Connection connection = database.source().getConnection()) {
            Sessions.execute(connection, "BEGIN IMMEDIATE");
            store.fence(connection, lease);
            write(connection, lease.fence());
            Sessions.execute(connection, "COMMIT");
        }
        assertThat(effects()).isEqualTo("1");
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, " + Connection.TRANSACTION_REPEATABLE_READ,
        "POSTGRESQL, " + Connection.TRANSACTION_SERIALIZABLE,
        "H2, " + Connection.TRANSACTION_REPEATABLE_READ
    })
    @DisplayName("says what to do if the lease was renewed after a strict transaction took its snapshot")
    void fencedLate(Kind kind, int isolation) throws SQLException {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.key());
        try (Connection connection = Sessions.begin(database.source())) {
            connection.setTransactionIsolation(isolation);
            assertThat(Sessions.ask(connection, "SELECT count(*) FROM leasehold_lease"))
                    .isEqualTo("1");
            assertThat(store.renew(List.of(lease))).hasSize(1);
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> store.fence(connection, lease))
                    .withMessageContainingAll("fence()", "first", lease.key().value())
                    .satisfies(refusal -> assertThat(refusal.getSQLState()).isEqualTo("40001"));
            connection.rollback();
        }
    }
}
