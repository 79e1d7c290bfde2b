package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.ForwardingStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers that stand in line: how long, at what cost, and how they leave. */
class WaitingTest {
    private static final Duration LONG = Duration.ofHours(10);

    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Bench.Client bob = bench.client("bob");

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("A caller whose lock delay never ends waits for a lease that never ends, until its time is over")
    void endlessLockDelay() {
        ForwardingStore endless = new ForwardingStore(bench.memory) {
            @Override
            public AcquireResult acquire(AcquireRequest request) {
                return super.acquire(request) instanceof AcquireResult.Held held
                        ? new AcquireResult.Held(
                                held.owner(),
                                held.fence(),
                                Micros.FOREVER.multipliedBy(2),
                                held.ttl(),
                                held.heldFor(),
                                held.inLine())
                        : new AcquireResult.Missing();
            }
        };
        bench.deadHolder(KEY, Duration.ofDays(300));
        CompletableFuture<Acquisition> call = bench.client("cat", bench.time, endless)
                .leases
                .acquireAsync(KEY, LeaseOptions.waitFor(TTL).withTtl(TTL).withLockDelay(Micros.FOREVER));
        bench.advance(TTL);
        assertThat(call).isCompletedWithValueMatching(Acquisition.Refused.class::isInstance);
    }

    @Test
    @DisplayName("W01 A wait ends at its deadline, and the refusal names the holder")
    void waitEndsAtItsDeadline() {
        bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.await(KEY, Duration.ofSeconds(5));
        bench.advance(Duration.ofSeconds(5).minusNanos(1));
        assertThat(call).isNotDone();
        bench.advance(Duration.ofNanos(1));
        assertThat(call.join())
                .isInstanceOfSatisfying(
                        Acquisition.Refused.class,
                        refused -> assertThat(refused.owner()).contains(Owner.of("bob")));
        assertThat(lineOf(KEY)).isZero();
    }

    @Test
    @DisplayName("W01 Every wait ends at its own deadline, also behind others of the same process")
    void everyWaitHasItsOwnDeadline() {
        bob.acquire(KEY);
        CompletableFuture<Acquisition> first = ann.await(KEY, Duration.ofSeconds(60));
        CompletableFuture<Acquisition> second = ann.await(KEY, Duration.ofSeconds(5));
        bench.advance(Duration.ofSeconds(5).minusNanos(1));
        assertThat(second).isNotDone();
        bench.advance(Duration.ofNanos(1));
        assertThat(second.join())
                .isInstanceOfSatisfying(
                        Acquisition.Refused.class,
                        refused -> assertThat(refused.owner()).contains(Owner.of("bob")));
        assertThat(first).isNotDone();
        bench.advanceSeconds(55);
        assertThat(first).isCompleted();
    }

    @Test
    @DisplayName("W01 With the store silent a wait ends within one request of its deadline")
    void silentStoreDoesNotProlongAWait() {
        ann.store.always(Verb.ACQUIRE, new Fault.NoReply());
        CompletableFuture<Acquisition> call = ann.await(KEY, Duration.ofSeconds(5));
        bench.advance(Duration.ofSeconds(5).plus(TTL.dividedBy(6)));
        assertThat(call).isCompletedExceptionally();
    }

    @Test
    @DisplayName("W01 A wait of no time at all is one request")
    void waitOfNoTime() {
        bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.await(KEY, Duration.ZERO);
        assertThat(call.join()).isInstanceOf(Acquisition.Refused.class);
        assertThat(ann.store.calls(Verb.ACQUIRE)).isEqualTo(1);
        assertThat(lineOf(KEY)).isZero();
    }

    @Test
    @DisplayName("W01 One may wait for ever")
    void waitForEver() {
        Lease lease = bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.await(KEY, ChronoUnit.FOREVER.getDuration());
        bench.advance(Duration.ofMinutes(10));
        assertThat(call).isNotDone();
        lease.release();
        assertThat(call.join()).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @Timeout(10)
    @DisplayName("W02 An interrupt ends a wait with an exception, the flag cleared, nothing left in the store")
    void interruptEndsAWait() throws InterruptedException {
        Lease lease = bob.acquire(KEY);
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                ann.leases.acquire(KEY, LeaseOptions.waitFor(LONG));
            } catch (InterruptedException e) {
                flag.complete(Thread.currentThread().isInterrupted());
            }
        });
        waiter.start();
        while (lineOf(KEY) == 0) {
            Thread.onSpinWait();
        }
        waiter.interrupt();
        waiter.join();
        assertThat(flag).isCompletedWithValue(false);
        assertThat(lineOf(KEY)).isZero();
        lease.release();
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @DisplayName("W02 A thread that is interrupted already asks nothing of the store")
    void interruptedThreadAsksNothing() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> ann.leases.acquire(KEY, LeaseOptions.waitFor(LONG)))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(ann.store.asked()).isEmpty();
    }

    @Test
    @DisplayName("W02 A try is not a wait: an interrupted thread may make one, and stays interrupted")
    void triesKeepTheFlag() {
        Thread.currentThread().interrupt();
        Lease lease = ann.acquire(KEY);
        lease.release();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @Tag("part-of:LOCK-3")
    @DisplayName("W03 A call that is cancelled with its request under way gives back a late grant")
    void cancelledCallGivesBackALateGrant() {
        ann.store.next(Verb.ACQUIRE, new Fault.SlowReply(Duration.ofSeconds(2)));
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, LeaseOptions.noWait());
        bench.advanceSeconds(1);
        assertThat(call.cancel(true)).isTrue();
        assertThat(bench.isHeld(KEY)).isFalse();
        bench.advanceSeconds(2);
        assertThat(bench.isHeld(KEY)).isFalse();
        assertThat(ann.told()).doesNotContain("lock:acquired");
    }

    @Test
    @DisplayName("W03 A request that reaches the store after its call was cancelled leaves no lease behind")
    void lateRequestOfACancelledCall() {
        ann.store.next(Verb.ACQUIRE, new Fault.LateRequest());
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, LeaseOptions.noWait());
        call.cancel(true);
        ann.store.deliverLate();
        bench.advance(TTL);
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("W03 A grant that is made after its call was withdrawn is given back when its answer comes")
    void grantAfterTheWithdrawalIsGivenBack() {
        FailingClockwork clockwork = new FailingClockwork(bench.time);
        Bench.Client client = bench.client("client", clockwork);
        clockwork.dawdle();
        client.leases.acquireAsync(KEY, LeaseOptions.noWait()).cancel(true);
        clockwork.hurry();
        assertThat(client.store.asked()).containsExactly(Verb.RELEASE, Verb.ACQUIRE, Verb.RELEASE);
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @DisplayName("W03 A duplicate that gets a place in line after its call has released leaves the line")
    void lateDuplicateOfAReleasedCallLeavesTheLine() {
        FailingClockwork clockwork = new FailingClockwork(bench.time);
        Bench.Client client = bench.client("client", clockwork);
        LeaseOptions waiting = LeaseOptions.waitFor(LONG).withAttemptLimit(Duration.ofSeconds(1));
        clockwork.dawdle();
        CompletableFuture<Acquisition> call = client.leases.acquireAsync(KEY, waiting);
        clockwork.flow();
        bench.advanceSeconds(2);
        call.join().orElseThrow().release();
        bob.acquire(KEY).release(); // The store remembers only the last release.
        Lease held = bob.acquire(KEY);

        clockwork.hurry();

        assertThat(bench.memory.find(KEY).orElseThrow().record().line()).isEmpty();
        assertThat(held.isValid()).isTrue();
    }

    @Test
    @Tag("part-of:LOCK-3")
    @DisplayName("W03 Cancelling takes a waiter out of line at once, and the next one moves up")
    void cancelledWaiterLeavesTheLine() {
        Lease lease = bob.acquire(KEY);
        CompletableFuture<Acquisition> first = ann.await(KEY, LONG);
        CompletableFuture<Acquisition> second = ann.await(KEY, LONG);
        first.cancel(false);
        assertThat(lineOf(KEY)).isEqualTo(1);
        lease.release();
        assertThat(second.join().orElseThrow().isValid()).isTrue();
    }

    @Test
    @DisplayName("W03 A future that times out by itself ends its call, like one that is cancelled")
    void futureThatTimesOutEndsItsCall() throws Exception {
        Lease lease = bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.await(KEY, LONG).orTimeout(1, TimeUnit.MILLISECONDS);
        assertThatThrownBy(() -> call.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(TimeoutException.class);
        bench.advanceSeconds(10);
        lease.release();
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @DisplayName("W03 A lease that nobody will receive, because the future was completed otherwise, is given back")
    void leaseThatNobodyReceivesIsGivenBack() {
        Lease lease = bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.await(KEY, LONG);
        call.complete(new Acquisition.Acquired(lease));
        lease.release();
        bench.advanceSeconds(10);
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @DisplayName("W04 A hundred waiters of one process cost the store no more than one")
    void waitersOfOneProcessCostAsOne() {
        bob.acquire(KEY);
        IntStream.range(0, 100).forEach(i -> assertThat(ann.await(KEY, LONG)).isNotDone());
        bench.advanceSeconds(60);
        assertThat(lineOf(KEY)).isEqualTo(1);
        assertThat(ann.store.calls(Verb.ACQUIRE)).as("in a minute").isLessThan(120);
    }

    @Test
    @DisplayName("W04 A hundred waiters of as many processes: a release wakes one, and nobody else asks")
    void releaseWakesOne() {
        Lease lease = bob.acquire(KEY);
        List<Bench.Client> others = clients(100);
        List<CompletableFuture<Acquisition>> calls =
                others.stream().map(client -> client.await(KEY, LONG)).toList();
        int before = requests(others);

        lease.release();

        assertThat(calls.get(0).join().orElseThrow().isValid()).isTrue();
        assertThat(requests(others) - before).isZero();
        bench.advanceSeconds(1);
        assertThat(requests(others) - before).as("of 99 that poll, in a second").isLessThan(250);
        assertThat(calls.subList(1, 100)).allMatch(call -> !call.isDone());
    }

    @Test
    @DisplayName("W04 Polls of many processes do not come all at once")
    void pollsAreSpread() {
        bob.acquire(KEY);
        List<Bench.Client> others = clients(100);
        others.forEach(client -> assertThat(client.await(KEY, LONG)).isNotDone());
        bench.advanceSeconds(10);
        int before = requests(others);
        int most = 0;
        for (int i = 0; i < 100; i++) {
            bench.advance(Duration.ofMillis(10));
            most = Math.max(most, requests(others) - before);
            before = requests(others);
        }
        assertThat(most).as("requests in 10 ms").isLessThan(15);
    }

    @Test
    @DisplayName("W05 A waiter whose wake-up was lost has the lease within one poll")
    void lostWakeUpCostsOnePoll() {
        Lease lease = bob.acquire(KEY);
        ann.store.mute();
        CompletableFuture<Acquisition> call = ann.await(KEY, LONG);
        lease.release();
        assertThat(call).isNotDone();
        bench.advanceSeconds(1);
        assertThat(call.join().orElseThrow().isValid()).isTrue();
        assertThat(call.join().orElseThrow().remaining()).isGreaterThan(Duration.ofSeconds(20));
    }

    /** Cannot tell until it is connected, like a store on a server that refused the first connection for wake-ups. */
    private static final class DeafStore extends ForwardingStore {
        private boolean isConnected;

        DeafStore(LeaseStore store) {
            super(store);
        }

        @Override
        public Optional<Subscription> onWakeUp(Consumer<WakeUp> listener) {
            return isConnected ? super.onWakeUp(listener) : Optional.empty();
        }
    }

    @Test
    @DisplayName("W05 A store that cannot tell at first is asked again, and then wakes also those who wait already")
    void storeThatTellsLater() {
        DeafStore deaf = new DeafStore(bench.memory);
        Bench.Client late = bench.client("late", bench.time, deaf);
        Lease lease = bob.acquire(KEY);
        CompletableFuture<Acquisition> call = late.await(KEY, LONG);
        bench.advanceSeconds(20);
        deaf.isConnected = true;
        bench.advanceSeconds(10);
        int polls = late.store.calls(Verb.ACQUIRE);
        bench.advance(Duration.ofMillis(400));
        assertThat(late.store.calls(Verb.ACQUIRE)).as("polls since").isLessThanOrEqualTo(polls + 1);
        lease.release();
        assertThat(call).as("told at once, without a poll").isCompleted();
    }

    @Test
    @DisplayName("W05 A waiter that died in line costs the others two seconds, not a TTL")
    void deadWaiterCostsLittle() {
        Lease lease = bob.acquire(KEY);
        FailingClockwork dying = new FailingClockwork(bench.time);
        Bench.Client dead = bench.client("dead", dying);
        assertThat(dead.await(KEY, LONG)).isNotDone();
        CompletableFuture<Acquisition> next = ann.await(KEY, LONG);
        dead.store.mute();
        dying.killKeeper();
        lease.release();
        bench.advanceSeconds(3);
        assertThat(next.join().orElseThrow().isValid()).isTrue();
    }

    @Test
    @DisplayName("G4 Those who died in line hold up the living for two TTLs at most, all of them together")
    void deadLineCostsTwoTtls() {
        LeaseOptions options = LeaseOptions.waitFor(LONG).withTtl(Duration.ofSeconds(2));
        Lease lease = bob.acquire(KEY, options);
        List<Bench.Client> dead = clients(3);
        dead.forEach(
                client -> assertThat(client.leases.acquireAsync(KEY, options)).isNotDone());
        List<CompletableFuture<Acquisition>> living = clients(4).stream()
                .map(client -> client.leases.acquireAsync(KEY, options))
                .toList();
        dead.forEach(client -> client.store.cutOff().mute());

        lease.release();
        for (int i = 0; i < 41; i++) {
            bench.advance(Duration.ofMillis(100));
            living.stream()
                    .filter(CompletableFuture::isDone)
                    .forEach(call -> call.join().orElseThrow().release());
        }
        assertThat(living).allMatch(CompletableFuture::isDone);
    }

    @Test
    @DisplayName("W05 A wake-up for somebody else that comes while a client is being made harms neither")
    void earlyWakeUpIsHarmless() {
        Bench.Client early = bench.client("early", bench.time, whichWakesAtOnce());
        assertThat(early.acquire(KEY).isValid()).isTrue();
    }

    @SuppressWarnings("unchecked") // It is what onWakeUp takes.
    private LeaseStore whichWakesAtOnce() {
        return (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(), new Class<?>[] {LeaseStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("onWakeUp")) {
                        ((Consumer<WakeUp>) arguments[0]).accept(new WakeUp.LookAgain(KEY, new Nonce(1, 2)));
                    }
                    return method.invoke(bench.memory, arguments);
                });
    }

    @Test
    @DisplayName("W06 Ten thousand waiting calls each get a turn, in order, and sleepers ask nothing")
    void nobodyStarves() {
        int count = 10_000;
        List<Lease> turns = new ArrayList<>();
        List<CompletableFuture<Acquisition>> calls =
                IntStream.range(0, count).mapToObj(i -> ann.await(KEY, LONG)).toList();
        for (CompletableFuture<Acquisition> call : calls) {
            assertThat(call).isDone();
            Lease lease = call.join().orElseThrow();
            turns.add(lease);
            lease.release();
        }
        assertThat(turns).extracting(Lease::fence).isSorted();
        assertThat(ann.store.asked()).hasSizeLessThan(3 * count);
    }

    @Test
    @DisplayName("W07 Errors while waiting are retried, and told")
    void errorsWhileWaitingAreRetried() {
        Lease lease = bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.await(KEY, LONG);
        ann.store.always(Verb.ACQUIRE, new Fault.LostRequest());
        bench.advanceSeconds(10);
        assertThat(call).isNotDone();
        assertThat(ann.events(LeaseEvent.Retry.class))
                .last()
                .extracting(LeaseEvent.Retry::reason)
                .isEqualTo(LeaseEvent.Reason.UNAVAILABLE);
        ann.store.heal();
        bench.advanceSeconds(5);
        lease.release();
        assertThat(call.join().orElseThrow().isValid()).isTrue();
    }

    @Test
    @DisplayName("W07 An error that lasts until the wait is over is the cause of the call's error")
    void lastingErrorIsTheCause() {
        ann.store.cutOff();
        CompletableFuture<Acquisition> call = ann.await(KEY, Duration.ofSeconds(20));
        bench.advance(Duration.ofSeconds(20).plus(TTL.dividedBy(6)));
        assertThatThrownBy(call::join)
                .cause()
                .isInstanceOfSatisfying(
                        LeaseException.class,
                        error -> assertThat(error.code()).isEqualTo(LeaseException.Code.UNAVAILABLE))
                .hasCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    @DisplayName("W05 A refusal from before the hand-over that is heard during the release is no reason to withdraw")
    void refusalFromBeforeTheHandOver() {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        LeaseStore store = new ForwardingStore(bench.memory) {
            @Override
            public ReleaseResult release(ReleaseRequest request) {
                if (isFirst.getAndSet(false)) {
                    bench.advanceSeconds(1); // The refusal is heard now.
                    bob.tryAcquire(KEY).toOptional().ifPresent(Lease::release);
                }
                return super.release(request);
            }
        };
        Bench.Client cat = bench.client("cat", bench.time, store);
        Lease lease = bob.acquire(KEY);
        cat.store.next(Verb.ACQUIRE, new Fault.SlowReply(Duration.ofSeconds(1)));
        CompletableFuture<Acquisition> waiting = cat.await(KEY, LONG);
        lease.release();

        assertThat(waiting.join().orElseThrow().release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(cat.told()).containsExactly("lock:acquired", "lock:released");
    }

    @Test
    @DisplayName("W08 Closing the client ends every wait at once, and leaves nothing in the store")
    void closingEndsEveryWait() {
        bob.acquire(KEY);
        Key other = Key.of("other");
        bench.deadHolder(other, LONG);
        List<CompletableFuture<Acquisition>> calls = List.of(
                ann.await(KEY, LONG),
                ann.await(KEY, LONG),
                ann.await(other, LONG),
                ann.leases.acquireAsync(KEY, LeaseOptions.defaults()));
        ann.leases.close();
        assertThat(calls)
                .allSatisfy(call -> assertThatThrownBy(call::join)
                        .hasCauseInstanceOf(LeaseException.class)
                        .hasMessageContaining("closed"));
        assertThat(lineOf(KEY)).isZero();
        assertThat(lineOf(other)).isZero();
    }

    @Test
    @DisplayName("W08 A client that is closed acquires nothing more, and can be closed again")
    void closedClientAcquiresNothing() {
        ann.leases.close();
        ann.leases.close();
        assertThatThrownBy(() -> ann.tryAcquire(KEY))
                .isInstanceOf(LeaseException.class)
                .hasMessageContaining("closed")
                .hasMessageContaining("report");
        assertThat(ann.store.asked()).isEmpty();
    }

    @Test
    @DisplayName("W08 A call that is made while the client is being closed is refused, and not forgotten")
    void callDuringClosingIsRefused() {
        bob.acquire(KEY);
        ClosingClockwork closing = new ClosingClockwork(bench.time);
        Bench.Client client = bench.client("client", closing);
        closing.atNextReading(client.leases::close);
        assertThatThrownBy(() -> client.await(KEY, LONG).get(1, TimeUnit.SECONDS))
                .isInstanceOf(LeaseException.class)
                .hasMessageContaining("closed");
        assertThat(lineOf(KEY)).isZero();
    }

    private List<Bench.Client> clients(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> bench.client("client" + number))
                .toList();
    }

    private static int requests(List<Bench.Client> clients) {
        return clients.stream()
                .mapToInt(client -> client.store.calls(Verb.ACQUIRE))
                .sum();
    }

    private int lineOf(Key key) {
        return bench.memory.find(key).map(found -> found.record().line().size()).orElse(0);
    }
}
