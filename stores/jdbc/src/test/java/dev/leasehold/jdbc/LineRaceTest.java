package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Place;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Race;
import dev.leasehold.tck.Threads;
import dev.leasehold.wire.WakeUps;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A release that races a caller in line")
class LineRaceTest {
    private static final int ROUNDS = 150;
    private static final Duration PLACE_LIFE = Duration.ofSeconds(6);

    @TempDir
    private Path directory;

    private TestDatabase database;
    private JdbcLeaseStore store;
    private JdbcLeaseStore other;

    private void open(Kind kind) {
        database = kind.fresh(directory);
        store = JdbcLeaseStore.of(database.source());
        other = JdbcLeaseStore.of(database.source());
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
        database.close();
    }

    /** Runs both at the same time; what the second gave. */
    private static <T> T race(Callable<?> first, Callable<T> second) throws Exception {
        List<Object> results = Race.of(2, racer -> racer == 0 ? first::call : second::call);
        @SuppressWarnings("unchecked")
        T result = (T) results.get(1);
        return result;
    }

    private LeaseSnapshot found(Key key) {
        return store.find(key).orElseThrow();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("leaves nothing held by a caller that withdrew")
    void withdrawal(Kind kind) throws Exception {
        open(kind);
        for (int round = 0; round < ROUNDS; round++) {
            LeaseRef holder = Ask.take(store, Ask.key());
            AcquireRequest waiting = Ask.of(holder.key()).inLineFor(PLACE_LIFE);
            other.acquire(waiting);
            race(
                    () -> store.release(ReleaseRequest.of(holder)),
                    () -> other.release(ReleaseRequest.withdrawing(holder.key(), waiting.nonce())));
            assertThat(found(holder.key()).record().state())
                    .as("round %d", round)
                    .isEqualTo(State.FREE);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("hands over to a caller that stands in line meanwhile, or lets it in")
    void standing(Kind kind) throws Exception {
        open(kind);
        for (int round = 0; round < ROUNDS; round++) {
            LeaseRef holder = Ask.take(store, Ask.key());
            AcquireRequest first = Ask.of(holder.key()).inLineFor(PLACE_LIFE);
            if (round % 2 == 0) {
                // The record is marked already.
                other.acquire(first);
                other.release(ReleaseRequest.withdrawing(holder.key(), first.nonce()));
            }
            assertHandedOver(holder, Ask.of(holder.key()).inLineFor(PLACE_LIFE), round);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("hands over to a caller that refreshes its place meanwhile")
    void refreshing(Kind kind) throws Exception {
        open(kind);
        Duration life = Duration.ofMillis(400);
        for (int round = 0; round < ROUNDS / 5; round++) {
            LeaseRef holder = Ask.take(store, Ask.key());
            AcquireRequest waiting = Ask.of(holder.key()).inLineFor(life);
            other.acquire(waiting);
            Threads.pause(life.multipliedBy(6).dividedBy(10));
            assertHandedOver(holder, waiting, round);
        }
    }

    private void assertHandedOver(LeaseRef holder, AcquireRequest waiting, int round) throws Exception {
        AcquireResult answer = race(() -> store.release(ReleaseRequest.of(holder)), () -> other.acquire(waiting));
        assertThat(found(holder.key()).record().tenure())
                .as("holder in round %d, after %s", round, answer)
                .isNotNull()
                .extracting(tenure -> tenure.nonce())
                .isEqualTo(waiting.nonce());
    }

    /** A key that is never free while callers come and go reaches this within days. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("finds callers in line after more changes of the line than 32 bits can count")
    void manyChanges(Kind kind) throws Exception {
        open(kind);
        LeaseRef holder = Ask.take(store, Ask.key());
        Sessions.execute(database.source(), "UPDATE leasehold_lease SET waited = " + Integer.MAX_VALUE);
        AcquireRequest first = Ask.of(holder.key()).inLineFor(PLACE_LIFE);
        AcquireRequest second = Ask.of(holder.key()).inLineFor(PLACE_LIFE);
        assertThat(store.acquire(first)).isInstanceOf(AcquireResult.Held.class);
        assertThat(store.acquire(second)).isInstanceOf(AcquireResult.Held.class);
        assertThat(found(holder.key()).record().line())
                .extracting(Place::nonce)
                .containsExactly(first.nonce(), second.nonce());
        store.release(ReleaseRequest.of(holder));
        LeaseRef next = found(holder.key()).record().ref();
        assertThat(next.nonce()).isEqualTo(first.nonce());
        assertThat(store.settle(SettleRequest.of(next, Settlement.done(null, Ask.LONG))))
                .isEqualTo(SettleResult.SETTLED);
        assertThat(found(holder.key()).record().line()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("A settlement that clears the line late leaves the callers in line for the next holder")
    void lateClearing(Kind kind) throws Exception {
        open(kind);
        LeaseRef next = Ask.take(store, Ask.key());
        AcquireRequest waiting = Ask.of(next.key()).inLineFor(PLACE_LIFE);
        store.acquire(waiting);

        try (Connection connection = database.source().getConnection()) {
            Dialect dialect = Dialect.of(connection.getMetaData().getDatabaseProductName());
            new Dissolving(new Statements(dialect), new WakeUps()).dissolve(new Lane(connection, dialect), next.key());
        }

        assertThat(found(next.key()).record().line()).extracting(Place::nonce).containsExactly(waiting.nonce());
        store.release(ReleaseRequest.of(next));
        assertThat(found(next.key()).record().ref().nonce()).isEqualTo(waiting.nonce());
    }
}
