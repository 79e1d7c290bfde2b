package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.WakeUp;
import dev.leasehold.tck.proxy.Direction;
import dev.leasehold.tck.proxy.Fault;
import dev.leasehold.tck.proxy.FaultProxy;
import dev.leasehold.tck.proxy.Injection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a store promises whose records a server keeps: a network between the two loses replies, brings requests late or
 * twice, falls silent or breaks. Store authors extend this beside {@link LeaseStoreContract}.
 */
public abstract class RemoteStoreContract {
    private static final Duration CALL_LIMIT = Duration.ofMillis(700);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration LATE = Duration.ofSeconds(30);
    /** What a server needs to do what it was sent. */
    private static final Duration A_MOMENT = Duration.ofMillis(300);

    private static final String RIGHT = "as it should be";

    private final BlockingQueue<WakeUp> told = new LinkedBlockingQueue<>();
    private RemoteUnderTest remote;
    private FaultProxy proxy;
    private LeaseStore direct;
    private LeaseStore store;
    private boolean tells;

    /** A store to be tested. Called before each test; what it gives is closed afterwards. */
    protected abstract RemoteUnderTest remoteUnderTest() throws Exception;

    @BeforeEach
    final void open() throws Exception {
        remote = remoteUnderTest();
        proxy = FaultProxy.to(remote.server(), 1);
        direct = remote.open(remote.server().getPort(), Duration.ofSeconds(5));
        store = remote.open(proxy.port(), CALL_LIMIT);
    }

    @AfterEach
    final void close() throws Exception {
        store.close();
        direct.close();
        proxy.close();
        remote.close();
    }

    /** A call, made with nothing that another one has used. */
    private interface Case {
        Supplier<String> prepare();
    }

    /**
     * Loses the first reply that the call waits for, asks again, and so on with the second until the call needs no more:
     * so also the one that acknowledges a commit. The answer must be the same each time.
     */
    private void assertSameThoughAnyReplyIsLost(Case call) {
        int lost = 0;
        boolean wasStruck = true;
        while (wasStruck) {
            // Opens the connections, whose greetings need not be lost each time.
            assertThat(call.prepare().get()).isEqualTo(RIGHT);
            Supplier<String> ask = call.prepare();
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
            assertThat(answer).as("after losing reply %s: %s", lost, proxy).isEqualTo(RIGHT);
        }
        assertThat(lost).as(proxy.toString()).isPositive();
    }

    private static String expect(Object expected, Object actual) {
        return expected.equals(actual) ? RIGHT : "not " + expected + " but " + actual;
    }

    private LeaseRecord record(Key key) {
        return direct.find(key).orElseThrow().record();
    }

    @Test
    @Tag("slow")
    @DisplayName("A05 Any lost reply to an acquire, that to a commit too, gives the same lease when asked again")
    final void lostReplyToAcquire() {
        assertSameThoughAnyReplyIsLost(() -> {
            AcquireRequest request = Ask.of(Ask.key());
            return () -> {
                AcquireResult.Granted granted = Ask.granted(store.acquire(request));
                return granted.attempt() == 1
                        ? expect(record(request.key()).fence(), granted.fence())
                        : "attempt " + granted.attempt();
            };
        });
    }

    @Test
    @Tag("slow")
    @DisplayName("R04 Any lost reply to a renewal leaves the lease its holder's")
    final void lostReplyToRenewal() {
        assertSameThoughAnyReplyIsLost(() -> {
            LeaseRef lease = Ask.take(direct, Ask.key());
            return () -> expect(1, store.renew(List.of(lease)).size());
        });
    }

    @Test
    @Tag("slow")
    @DisplayName("R15 Any lost reply to a renewal with another TTL leaves the lease its holder's, with that TTL")
    final void lostReplyToRenewalWithTtl() {
        assertSameThoughAnyReplyIsLost(() -> {
            LeaseRef lease = Ask.take(direct, Ask.key());
            Duration ttl = Ask.LONG.multipliedBy(2);
            return () -> {
                Optional<Renewal> renewal = store.renew(lease, ttl);
                return direct.renew(List.of(lease)).equals(List.of(new Renewal(lease, ttl)))
                        ? expect(Optional.of(new Renewal(lease, ttl)), renewal)
                        : "stored as " + record(lease.key());
            };
        });
    }

    @Test
    @Tag("slow")
    @DisplayName("L04 Any lost reply to a release that hands over hands over once, and says released")
    final void lostReplyToHandOver() {
        assertSameThoughAnyReplyIsLost(() -> {
            LeaseRef lease = Ask.take(direct, Ask.key());
            AcquireRequest first = standInLine(direct, lease.key());
            standInLine(direct, lease.key());
            return () -> {
                ReleaseResult result = store.release(ReleaseRequest.of(lease));
                boolean isHandedOverOnce = Ask.granted(direct.acquire(first)).attempt() == 1
                        && record(lease.key()).line().size() == 1;
                return isHandedOverOnce ? expect(ReleaseResult.RELEASED, result) : "handed over twice";
            };
        });
    }

    @Test
    @Tag("slow")
    @DisplayName("O08 Any lost reply to a settlement leaves it settled")
    final void lostReplyToSettlement() {
        assertSameThoughAnyReplyIsLost(() -> {
            LeaseRef lease = Ask.take(direct, Ask.key());
            SettleRequest request = SettleRequest.of(lease, Settlement.done(Payload.of("answer"), Ask.LONG));
            return () -> {
                SettleResult result = store.settle(request);
                State state = record(lease.key()).state();
                return state == State.DONE ? expect(SettleResult.SETTLED, result) : "stored as " + state;
            };
        });
    }

    @Test
    @DisplayName("A06 A request that comes late, after its call was over and released, gets nothing")
    final void late() {
        AcquireRequest request = Ask.of(Ask.key());
        store.find(request.key());
        Injection late = proxy.inject(new Fault.Delay(Direction.TO_SERVER, LATE, Duration.ZERO));
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> store.acquire(request));
        LeaseRef lease = Ask.take(direct, request);
        direct.release(ReleaseRequest.of(lease));
        late.lift();
        assertThat(late.firings()).isPositive();
        assertStaysFree(lease);
    }

    @Test
    @DisplayName("A06 A request that is sent twice, the second time after the release, gets nothing")
    final void twice() throws InterruptedException {
        AcquireRequest request = Ask.of(Ask.key());
        store.find(request.key());
        Injection twice = proxy.inject(new Fault.Replay(Fault.Replay.Via.SAME_CONNECTION, LATE));
        LeaseRef lease = Ask.take(store, request);
        direct.release(ReleaseRequest.of(lease));
        twice.lift();
        assertThat(twice.awaitFiring(Duration.ofSeconds(5)))
                .as(proxy.toString())
                .isTrue();
        assertStaysFree(lease);
    }

    private void assertStaysFree(LeaseRef lease) {
        Threads.pause(A_MOMENT);
        proxy.resetAll();
        assertThat(direct.find(lease.key()).orElseThrow().isHeld())
                .as(proxy.toString())
                .isFalse();
        assertThat(Ask.take(direct, lease.key()).fence()).isGreaterThan(lease.fence());
    }

    /** The call fails with its cause, as soon as the store says it will. */
    private void assertUnavailable() {
        long start = System.nanoTime();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> store.acquire(Ask.of(Ask.key())))
                .satisfies(failure -> assertThat(failure.getCause()).isNotNull());
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isLessThan(store.longestCall().plusSeconds(1));
    }

    @Test
    @Tag("slow")
    @DisplayName(
            "L08 That the server is silent is said in time, with the cause, though a connection must be opened first")
    final void silent() {
        proxy.inject(Fault.Stall.both());
        assertUnavailable();
        assertUnavailable();
        proxy.heal();
        Threads.eventually("it works again", () -> works(() -> Ask.take(store, Ask.key())));
    }

    @Test
    @DisplayName("L08 That the server has vanished is said at once; when it is back, the first call works")
    final void vanished() {
        Ask.take(store, Ask.key());
        proxy.inject(new Fault.RefuseConnections());
        proxy.resetAll();
        assertUnavailable();
        assertUnavailable();
        proxy.heal();
        Ask.take(store, Ask.key());
    }

    @Test
    @DisplayName("L08 That there is no server is said to whoever opens a store on it, or makes the first call")
    final void opening() {
        proxy.inject(new Fault.RefuseConnections());
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> {
            try (LeaseStore another = remote.open(proxy.port(), CALL_LIMIT)) {
                another.acquire(Ask.of(Ask.key()));
            }
        });
    }

    private static boolean works(Runnable call) {
        try {
            call.run();
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private void listen() {
        tells = store.onWakeUp(told::add).isPresent();
    }

    private static AcquireRequest standInLine(LeaseStore store, Key key) {
        AcquireRequest request = Ask.of(key).inLineFor(Ask.LONG);
        store.acquire(request);
        return request;
    }

    private Optional<WakeUp> next(Duration patience) {
        try {
            return Optional.ofNullable(told.poll(patience.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("W04 A hand-over is told to another store object, whatever the key is")
    final void handOver() {
        listen();
        Key key = Key.of(" it's \"a\" key; -- {食事} \\ " + Ask.key());
        LeaseRef lease = Ask.take(direct, key);
        AcquireRequest request = standInLine(store, key);
        direct.release(ReleaseRequest.of(lease));
        LeaseRecord now = record(key);
        assertThat(now.fence()).isGreaterThan(lease.fence());
        assertThat(now.ref()).isEqualTo(new LeaseRef(key, request.nonce(), now.fence()));
        if (tells) {
            assertThat(next(PATIENCE))
                    .get()
                    .isInstanceOfSatisfying(
                            WakeUp.HandedOver.class,
                            wakeUp -> assertThat(wakeUp.lease()).isEqualTo(now.ref()));
        }
    }

    @Test
    @DisplayName("W04 That a run is settled is told to another store object, which looks again")
    final void settled() {
        listen();
        LeaseRef lease = Ask.take(direct, Ask.key());
        AcquireRequest request = standInLine(store, lease.key());
        direct.settle(SettleRequest.of(lease, Settlement.done(null, Ask.LONG)));
        if (tells) {
            assertThat(next(PATIENCE)).contains(new WakeUp.LookAgain(lease.key(), request.nonce()));
        }
        assertThat(store.acquire(request)).isInstanceOf(AcquireResult.Settled.class);
    }

    @Test
    @Tag("slow")
    @DisplayName("W05 A store object whose connections were all cut is told again, soon")
    final void toldAgain() {
        listen();
        proxy.resetAll();
        Threads.eventually("it is told", this::isTold);
    }

    private boolean isTold() {
        told.clear();
        LeaseRef lease = Ask.take(direct, Ask.key());
        try {
            AcquireRequest request = standInLine(store, lease.key());
            direct.release(ReleaseRequest.of(lease));
            return !tells || next(A_MOMENT).map(WakeUp::nonce).equals(Optional.of(request.nonce()));
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    @Test
    @Tag("slow")
    @DisplayName("W05 A caller in line whose connections are cut just before the release finds its lease by polling")
    final void polling() throws Exception {
        try (Leases ann = Leases.on(direct);
                Leases bob = Leases.on(store)) {
            Lease lease = ann.tryAcquire(Ask.key()).orElseThrow();
            Threads.Running<Acquisition> waiting =
                    Threads.start(() -> bob.acquire(lease.key(), LeaseOptions.waitFor(Duration.ofSeconds(15))));
            Threads.eventually(
                    "it stands in line", () -> !record(lease.key()).line().isEmpty());
            proxy.resetAll();
            lease.release();
            assertThat(waiting.get().orElseThrow().isValid()).isTrue();
        }
    }
}
