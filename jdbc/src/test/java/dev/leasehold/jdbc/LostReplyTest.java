package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.proxy.Direction;
import dev.leasehold.tck.proxy.Fault;
import dev.leasehold.tck.proxy.FaultProxy;
import dev.leasehold.tck.proxy.Injection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@DisplayName("Between store and database")
class LostReplyTest {
    private static final Duration LIMIT = Duration.ofMillis(700);

    @TempDir
    private Path directory;

    private TestDatabase database;
    private FaultProxy proxy;
    private JdbcLeaseStore store;
    private JdbcLeaseStore direct;

    private void open(Kind kind) {
        database = kind.fresh(directory);
        proxy = Through.proxy(database);
        direct = JdbcLeaseStore.of(database.source());
        store = JdbcLeaseStore.builder(database.source(Through.port(database.url(), proxy.port())))
                .callLimit(LIMIT)
                .open();
    }

    @AfterEach
    void close() {
        store.close();
        direct.close();
        proxy.close();
        database.close();
    }

    /** A call, made with nothing that another one has used. */
    private interface Case {
        Supplier<String> prepare();
    }

    /**
     * Loses the first reply that the call waits for, asks again, and so on with the second until the call needs no more:
     * so also the one that acknowledges the commit. The answer must be the same each time.
     */
    private void assertSameThoughAnyReplyIsLost(Case call) {
        int lost = 0;
        boolean wasStruck = true;
        while (wasStruck) {
            Supplier<String> ask = call.prepare();
            store.find(Ask.key()); // Opens a connection, whose greetings shall not count.
            Injection injection = proxy.injectOnce(new Fault.LoseReply(lost + 1));
            String answer;
            try {
                answer = ask.get();
                wasStruck = false;
            } catch (StoreUnavailableException e) {
                answer = ask.get();
                lost++;
            }
            injection.lift();
            assertThat(answer).as("after losing reply %s: %s", lost, proxy).isEqualTo("as it should be");
        }
        assertThat(lost).as(proxy.toString()).isPositive();
    }

    private static String expect(Object expected, Object actual) {
        return expected.equals(actual) ? "as it should be" : "not " + expected + " but " + actual;
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("A05 any lost reply to an acquire, that to its COMMIT too, gives the same lease when asked again")
    void acquire(Kind kind) {
        open(kind);
        assertSameThoughAnyReplyIsLost(() -> {
            AcquireRequest request = Ask.of(Ask.key());
            return () -> {
                AcquireResult.Granted granted = Ask.granted(store.acquire(request));
                long stored = direct.find(request.key())
                        .orElseThrow()
                        .record()
                        .fence()
                        .value();
                return expect(1L + stored, granted.attempt() + granted.fence().value());
            };
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("R04 any lost reply to a renewal leaves the lease its holder's")
    void renew(Kind kind) {
        open(kind);
        assertSameThoughAnyReplyIsLost(() -> {
            LeaseRef lease = Ask.take(direct, Ask.key());
            return () -> expect(1, store.renew(List.of(lease)).size());
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("L04 any lost reply to a release that hands over hands over once, and says released")
    void handOver(Kind kind) {
        open(kind);
        assertSameThoughAnyReplyIsLost(() -> {
            LeaseRef lease = Ask.take(direct, Ask.key());
            AcquireRequest waiting = Ask.of(lease.key()).inLineFor(Ask.LONG);
            direct.acquire(waiting);
            return () -> {
                ReleaseResult result = store.release(ReleaseRequest.of(lease));
                boolean isHandedOver = Ask.granted(direct.acquire(waiting)).attempt() == 1;
                return isHandedOver ? expect(ReleaseResult.RELEASED, result) : "handed over twice";
            };
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("O08 any lost reply to a settlement leaves it settled")
    void settle(Kind kind) {
        open(kind);
        assertSameThoughAnyReplyIsLost(() -> {
            LeaseRef lease = Ask.take(direct, Ask.key());
            SettleRequest request = SettleRequest.of(lease, Settlement.done(Payload.of("answer"), Ask.LONG));
            return () -> {
                SettleResult result = store.settle(request);
                State state = direct.find(lease.key()).orElseThrow().record().state();
                return state == State.DONE ? expect(SettleResult.SETTLED, result) : "stored as " + state;
            };
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("A06 a request that comes late, after its call was over and released, gets nothing")
    void late(Kind kind) throws InterruptedException {
        open(kind);
        AcquireRequest request = Ask.of(Ask.key());
        store.find(request.key());
        Injection late = proxy.inject(new Fault.Delay(Direction.TO_SERVER, Duration.ofSeconds(30), Duration.ZERO));
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> store.acquire(request));
        LeaseRef lease = Ask.take(direct, request);
        direct.release(ReleaseRequest.of(lease));
        late.lift();
        assertThat(late.firings()).isPositive();
        Threads.pause(Duration.ofMillis(300));
        assertThat(direct.find(request.key()).orElseThrow().isHeld())
                .as(proxy.toString())
                .isFalse();
        assertThat(Ask.take(direct, request.key()).fence()).isGreaterThan(lease.fence());
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("A06 a request that is sent twice, the second time after the release, gets nothing")
    void twice(Kind kind) throws InterruptedException {
        open(kind);
        AcquireRequest request = Ask.of(Ask.key());
        store.find(request.key());
        Injection twice = proxy.inject(new Fault.Replay(Fault.Replay.Via.SAME_CONNECTION, Duration.ofSeconds(30)));
        LeaseRef lease = Ask.take(store, request);
        direct.release(ReleaseRequest.of(lease));
        twice.lift();
        assertThat(twice.awaitFiring(Duration.ofSeconds(5)))
                .as(proxy.toString())
                .isTrue();
        Threads.pause(Duration.ofMillis(300));
        proxy.resetAll();
        assertThat(direct.find(request.key()).orElseThrow().isHeld())
                .as(proxy.toString())
                .isFalse();
        assertThat(Ask.take(direct, request.key()).fence()).isGreaterThan(lease.fence());
    }
}
