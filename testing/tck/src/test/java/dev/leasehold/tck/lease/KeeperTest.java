package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Subscription;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is left of the promises when the thread that keeps leases is itself in trouble. */
class KeeperTest {
    private final Bench bench = new Bench();
    private final FailingClockwork clockwork = new FailingClockwork(bench.time);
    private final AtomicInteger failuresToCome = new AtomicInteger();
    private final Bench.Client ann = bench.client("ann", clockwork, whoseNameFails());
    private final List<String> reasons = new ArrayList<>();

    private Lease lease;

    @BeforeEach
    void acquire() {
        lease = ann.acquire(KEY);
        lease.onLost(reasons::add);
    }

    @AfterEach
    void close() {
        clockwork.haveThreadsAgain();
        bench.close();
    }

    @Test
    @DisplayName("R12 A keeper that found no thread for a renewal tries again, and nothing is lost")
    void keeperGoesOnAfterAnError() {
        bench.advanceSeconds(8);
        clockwork.runOutOfThreads();
        bench.advanceSeconds(10);
        assertThat(clockwork.keeperFailures()).isNotEmpty().allMatch(OutOfMemoryError.class::isInstance);
        assertThat(lease.isValid()).isTrue();

        clockwork.haveThreadsAgain();
        bench.advance(TTL.multipliedBy(3));

        assertThat(lease.isValid()).isTrue();
        assertThat(reasons).isEmpty();
    }

    @Test
    @DisplayName("R12 A loss that could not be told for want of a thread is told as soon as there is one")
    void lossIsToldAsSoonAsPossible() {
        clockwork.runOutOfThreads();
        bench.advance(TTL);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(reasons).isEmpty();

        clockwork.haveThreadsAgain();
        bench.advanceSeconds(0.1);

        assertThat(reasons).hasSize(1);
        assertThat(ann.told()).endsWith("lock:lost");
    }

    @Test
    @DisplayName("R12 The keeper's second attempt to tell a loss is not put off by other threads that use the client")
    void secondAttemptIsNotPutOff() {
        clockwork.runOutOfThreads();
        bench.advance(TTL);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        clockwork.haveThreadsAgain();

        ann.acquire(Key.of("other"));
        bench.advanceSeconds(0.1);

        assertThat(reasons).hasSize(1);
    }

    @Test
    @DisplayName(
            "R12 A call that found no thread is made as soon as there is one, and its caller can release the lease")
    void callIsMadeAsSoonAsPossible() {
        clockwork.runOutOfThreads();
        Key other = Key.of("other");
        CompletableFuture<Acquisition> call =
                ann.leases.acquireAsync(other, LeaseOptions.noWait().withTtl(TTL));
        bench.advanceSeconds(1);
        assertThat(call).isNotDone();
        assertThat(bench.isHeld(other)).isFalse();

        clockwork.haveThreadsAgain();
        bench.advanceSeconds(0.1);

        assertThat(call.join().orElseThrow().release()).isEqualTo(ReleaseOutcome.RELEASED);
        bench.advance(TTL);
        assertThat(bench.isHeld(other)).isFalse();
    }

    @Test
    @Tag("slow")
    @DisplayName(
            "R12 Futures and losses that could not be told for want of a thread are told although the client is closed")
    void closedClientTellsLater() {
        Bench.Client bob = bench.client("bob");
        bob.acquire(Key.of("other"));
        CompletableFuture<Acquisition> call = ann.await(Key.of("other"), Duration.ofHours(1));
        AtomicReference<Object> told = new AtomicReference<>();
        var unused = call.whenComplete((acquisition, failure) -> told.set(failure));
        clockwork.runOutOfThreads();
        Subscription use = lease.startUse();
        ann.leases.close();
        use.close();
        assertThat(told).hasNullValue();
        assertThat(reasons).isEmpty();

        clockwork.haveThreadsAgain();
        bench.advanceSeconds(0.1);

        assertThat(told.get()).isInstanceOf(LeaseException.class);
        assertThat(reasons).hasSize(1);
    }

    @Test
    @DisplayName("R12 With the keeper dead the lease is not valid past its deadline, and ensure() tells the loss")
    void deadKeeperFoolsNobody() {
        clockwork.killKeeper();
        bench.advance(lease.remaining().minusNanos(1));
        lease.ensure();
        bench.advance(Duration.ofNanos(1));

        assertThat(lease.isValid()).isFalse();
        assertThatThrownBy(lease::ensure).isInstanceOf(LeaseLostException.class);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost");
        assertThat(reasons).hasSize(1);
    }

    @Test
    @DisplayName("R12 An Error in the middle of a step costs no other lease its renewal or its loss")
    void errorInAStepHarmsNoOther() {
        Lease other = ann.acquire(Key.of("other"));
        ann.store.always(Verb.RENEW, new Fault.NoReply());
        bench.advanceSeconds(29);
        failuresToCome.set(3);

        bench.advanceSeconds(2);

        assertThat(clockwork.keeperFailures()).hasSize(3).allMatch(StackOverflowError.class::isInstance);
        assertThat(ann.told(lease)).endsWith("lock:lost");
        assertThat(ann.told(other)).endsWith("lock:lost");
        assertThat(reasons).hasSize(1);
    }

    /** The engine asks for the store's name in the middle of a step, to put it into an event. */
    private LeaseStore whoseNameFails() {
        return (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(), new Class<?>[] {LeaseStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("name")
                            && failuresToCome.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                        throw new StackOverflowError("as the test wants");
                    }
                    return method.invoke(bench.memory, arguments);
                });
    }
}
