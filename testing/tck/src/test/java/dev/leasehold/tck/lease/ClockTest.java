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
import dev.leasehold.lease.Leases;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.ForwardingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks that are set, and clocks that stand still. */
class ClockTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Bench.Client bob = bench.client("bob");

    @AfterEach
    void close() {
        bench.close();
    }

    @ParameterizedTest(name = "C01 A holder's wall clock set by {0} h costs one renewal and nothing else")
    @ValueSource(ints = {1, -1})
    void wallClockDoesNotMatterToAHolder(int hours) {
        Lease lease = ann.acquire(KEY);
        bench.advanceSeconds(5);
        bench.time.shiftWallClock(HOUR.multipliedBy(hours));
        lease.ensure();
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(ann.store.calls(Verb.RENEW)).isEqualTo(1);
        bench.advance(TTL.multipliedBy(4));
        assertThat(lease.isValid()).isTrue();
        assertThat(ann.told()).doesNotContain("lock:at-risk", "lock:lost");
    }

    @ParameterizedTest(name = "C01 A waiter's wall clock set by {0} h changes neither its turn nor its patience")
    @ValueSource(ints = {1, -1})
    void wallClockDoesNotMatterToAWaiter(int hours) {
        Lease lease = bob.acquire(KEY);
        CompletableFuture<Acquisition> served = ann.await(KEY, Duration.ofSeconds(60));
        CompletableFuture<Acquisition> impatient = ann.await(Key.of("other"), Duration.ofSeconds(60));
        Lease other = impatient.join().orElseThrow();
        CompletableFuture<Acquisition> unserved = bob.await(Key.of("other"), Duration.ofSeconds(60));
        bench.advanceSeconds(5);
        bench.time.shiftWallClock(HOUR.multipliedBy(hours));
        bench.advance(Duration.ofSeconds(55).minusNanos(1));
        assertThat(served).isNotDone();
        assertThat(unserved).isNotDone();
        lease.release();
        assertThat(served.join().orElseThrow().isValid()).isTrue();
        bench.advance(Duration.ofNanos(1));
        assertThat(unserved.join()).isInstanceOf(Acquisition.Refused.class);
        assertThat(other.isValid()).isTrue();
    }

    @Test
    @DisplayName("C02 The store's clock set forward by an hour costs an uncontended lease nothing")
    void storeClockForwardUncontended() {
        Lease lease = ann.acquire(KEY);
        bench.time.shiftStoreClock(HOUR);
        bench.advance(TTL.multipliedBy(3));
        assertThat(lease.isValid()).isTrue();
        assertThat(ann.told()).doesNotContain("lock:lost");
    }

    @Test
    @DisplayName("C02 The store's clock set forward by an hour loses a contended lease, and fences grow all the same")
    void storeClockForwardContended() {
        Lease lease = ann.acquire(KEY);
        CompletableFuture<Acquisition> call = bob.await(KEY, HOUR);
        bench.time.shiftStoreClock(HOUR);
        bench.advanceSeconds(10);
        Lease successor = call.join().orElseThrow();
        assertThat(successor.fence()).isGreaterThan(lease.fence());
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        bench.advance(TTL);
        assertThat(successor.isValid()).isTrue();
    }

    @Test
    @DisplayName("C03 The store's clock set back by an hour does not lock a dead holder's key for an hour")
    void storeClockBackWithADeadHolder() {
        Fence fence = bench.deadHolder(KEY, TTL);
        bench.time.shiftStoreClock(HOUR.negated());
        CompletableFuture<Acquisition> call = ann.await(KEY, HOUR);
        bench.advance(TTL);
        assertThat(call).isNotDone();
        bench.advanceSeconds(2);
        assertThat(call.join().orElseThrow().fence()).isGreaterThan(fence);
    }

    @Test
    @DisplayName("C03 Tries that do not wait get a dead holder's key after one TTL of watching, too")
    void storeClockBackWithTries() {
        bench.deadHolder(KEY, TTL);
        bench.time.shiftStoreClock(HOUR.negated());
        for (int second = 0; second <= TTL.toSeconds(); second++) {
            assertThat(ann.tryAcquire(KEY)).isInstanceOf(Acquisition.Refused.class);
            bench.advanceSeconds(1);
        }
        assertThat(ann.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("C03, T06 The lock delay counts although the store's clock was set back")
    void storeClockBackWithALockDelay() {
        bench.deadHolder(KEY, TTL);
        bench.time.shiftStoreClock(HOUR.negated());
        Duration delay = Duration.ofSeconds(20);
        CompletableFuture<Acquisition> call =
                ann.leases.acquireAsync(KEY, LeaseOptions.waitFor(HOUR).withLockDelay(delay));
        bench.advance(TTL.plus(delay));
        assertThat(call).isNotDone();
        bench.advanceSeconds(2);
        assertThat(call.join()).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("C03, T06 A caller with a lock delay waits for it, although one without found the holder gone")
    void storeClockBackWithTwoLockDelays() {
        bench.deadHolder(KEY, TTL);
        bench.time.shiftStoreClock(HOUR.negated());
        Duration delay = Duration.ofSeconds(20);
        LeaseOptions patient = LeaseOptions.noWait().withLockDelay(delay);
        List<AcquireRequest> overruling = new ArrayList<>();
        Bench.Client cat = bench.client("cat", bench.time, new ForwardingStore(bench.memory) {
            @Override
            public AcquireResult acquire(AcquireRequest request) {
                if (request.unmoved() != null && request.lockDelay().isZero()) {
                    overruling.add(request);
                    throw new StoreUnavailableException("as the test wants");
                }
                return super.acquire(request);
            }
        });
        assertThat(cat.tryAcquire(KEY)).isInstanceOf(Acquisition.Refused.class);
        bench.advance(TTL.plusSeconds(2));
        cat.leases.acquireAsync(KEY, LeaseOptions.noWait()).cancel(true);
        assertThat(overruling).hasSize(1);

        assertThat(cat.leases.tryAcquire(KEY, patient)).isInstanceOf(Acquisition.Refused.class);

        bench.advance(delay);
        assertThat(cat.leases.tryAcquire(KEY, patient)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("C03 A holder that lives keeps its lease although the store's clock was set back")
    void storeClockBackWithALivingHolder() {
        Lease lease = bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.await(KEY, HOUR);
        bench.time.shiftStoreClock(HOUR.negated());
        bench.advance(TTL.multipliedBy(5));
        assertThat(lease.isValid()).isTrue();
        assertThat(call).isNotDone();
    }

    @Test
    @DisplayName("C03 The store's clock set back twice takes no lease from a holder whose renewals nobody saw")
    void storeClockBackTwice() {
        Lease lease = bob.acquire(KEY);
        bench.time.shiftStoreClock(HOUR.negated());
        assertThat(ann.tryAcquire(KEY)).isInstanceOf(Acquisition.Refused.class);
        bench.advance(TTL.plusSeconds(5));
        bench.time.shiftStoreClock(HOUR.negated());

        assertThat(ann.tryAcquire(KEY)).isInstanceOf(Acquisition.Refused.class);

        assertThat(lease.isValid()).isTrue();
        bench.advance(TTL);
        assertThat(ann.tryAcquire(KEY)).isInstanceOf(Acquisition.Refused.class);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @DisplayName("C05 After a sleep the lease is suspect; a renewal that is answered makes it held again")
    void sleepMakesSuspect() {
        Lease lease = ann.acquire(KEY);
        bench.advanceSeconds(1);
        bench.time.suspend(Duration.ofSeconds(20));
        assertThat(lease.isValid()).isFalse();
        bench.advanceSeconds(10);
        assertThat(ann.told()).startsWith("lock:acquired", "lock:suspect", "lock:renewed");
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @DisplayName("C05 ensure() asks the store before it passes after a sleep, even if no time passed by our clock")
    void ensureAsksAfterASleep() {
        Lease lease = ann.acquire(KEY);
        bench.time.suspend(Duration.ofSeconds(20));
        lease.ensure();
        assertThat(ann.store.asked()).containsExactly(Verb.ACQUIRE, Verb.RENEW);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @DisplayName("C05 A lease that was taken over during a sleep is lost, and ensure() does not pass")
    void takenDuringASleep() {
        Lease lease = ann.acquire(KEY);
        bench.time.suspend(TTL.plusSeconds(1));
        Lease successor = bob.acquire(KEY);
        assertThatThrownBy(lease::ensure).isInstanceOf(LeaseLostException.class);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:suspect", "lock:lost");
        assertThat(successor.isValid()).isTrue();
    }

    @Test
    @DisplayName("C05 A lease that expired during a sleep, but that nobody took, is held again")
    void expiredDuringASleep() {
        Lease lease = ann.acquire(KEY);
        bench.time.suspend(TTL.plusSeconds(1));
        lease.ensure();
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @DisplayName("C05 A suspect lease stays invalid while the store is silent, and is lost at its deadline")
    void suspectWithASilentStore() {
        Lease lease = ann.acquire(KEY);
        bench.advanceSeconds(1);
        bench.time.suspend(Duration.ofSeconds(20));
        ann.store.always(Verb.RENEW, new Fault.LostRequest());
        assertThatThrownBy(lease::ensure)
                .isInstanceOfSatisfying(
                        LeaseException.class,
                        error -> assertThat(error.code()).isEqualTo(LeaseException.Code.RENEWAL_FAILED));
        bench.advanceSeconds(20);
        assertThat(lease.state()).isEqualTo(LeaseState.SUSPECT);
        assertThat(lease.isValid()).isFalse();
        bench.advanceSeconds(10);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    @DisplayName("C05 The answer to a renewal from before the sleep does not clear the suspicion")
    void answerFromBeforeTheSleepDoesNotCount() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.SlowReply(Duration.ofSeconds(1))).always(Verb.RENEW, new Fault.NoReply());
        bench.advanceSeconds(10);
        bench.time.suspend(TTL.multipliedBy(2));
        bob.acquire(KEY);
        bench.advanceSeconds(2);
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.state()).isEqualTo(LeaseState.SUSPECT);
    }

    @Test
    @DisplayName("C05 A holder learns within a second of waking up that its lease was taken, however long the TTL is")
    void lossIsToldSoonAfterASleep() {
        Duration ttl = Duration.ofMinutes(5);
        Lease lease = ann.acquire(KEY, LeaseOptions.noWait().withTtl(ttl));
        List<String> reasons = new ArrayList<>();
        lease.onLost(reasons::add);
        bench.advanceSeconds(2.5);
        bench.time.suspend(ttl.plusSeconds(1));
        bob.acquire(KEY);

        bench.advanceSeconds(1);

        assertThat(reasons).containsExactly("another holder has it");
    }

    @ParameterizedTest(name = "C01 After the wall clock was set by {0} ms a lease is valid again within a second")
    @ValueSource(longs = {200, -200, 3_600_000})
    void leaseIsSoonValidAfterAStep(long millis) {
        Lease lease = ann.acquire(KEY);
        bench.advanceSeconds(0.6);
        bench.time.shiftWallClock(Duration.ofMillis(millis));
        assertThat(lease.isValid()).isFalse();

        bench.advanceSeconds(1);

        assertThat(lease.isValid()).isTrue();
        assertThat(ann.store.calls(Verb.RENEW)).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "C01 A wall clock that is slewed, a little each second, costs a lease at most a second of its validity")
    void slewedWallClock() {
        Lease lease = ann.acquire(KEY);
        for (int second = 0; second < 100; second++) {
            bench.time.shiftWallClock(Duration.ofMillis(20));
            bench.advanceSeconds(1);
            assertThat(lease.isValid()).as("after %d s", second).isTrue();
        }
        assertThat(ann.told()).doesNotContain("lock:at-risk", "lock:lost");
    }

    @Test
    @DisplayName("C05 An answer that comes after another sleep does not clear the suspicion, and the lease is asked for"
            + " again")
    void sleepBeforeTheAnswer() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.SlowReply(Duration.ofSeconds(2)));
        bench.time.suspend(Duration.ofSeconds(5));
        bench.advanceSeconds(1);
        assertThat(lease.state()).isEqualTo(LeaseState.SUSPECT);
        bench.time.suspend(Duration.ofSeconds(5));

        bench.advanceSeconds(2);

        assertThat(ann.store.calls(Verb.RENEW)).isEqualTo(2);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:suspect", "lock:renewed");
        assertThat(lease.isValid()).isTrue();
    }

    @ParameterizedTest(name = "C01 ensure() passes although the wall clock was set {0} times while the store was asked")
    @ValueSource(ints = {1, 2, 3, 4})
    void clockIsSetWhileEnsureWaits(int times) {
        AtomicInteger steps = new AtomicInteger(times);
        Lease lease = settingTheClockOnRenewals(steps).acquire(KEY);
        bench.time.shiftWallClock(HOUR);

        lease.ensure();

        assertThat(steps).hasValue(0);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @DisplayName(
            "C01 ensure() does not call a lease lost that is not, if the clock is set during each renewal it makes")
    void clockIsSetDuringEachRenewalOfEnsure() {
        AtomicInteger steps = new AtomicInteger(Integer.MAX_VALUE);
        FailingClockwork clockwork = new FailingClockwork(bench.time);
        try (Leases carl = Leases.builder(clockIsSetOnRenewals(steps))
                .clockwork(clockwork)
                .withoutLog()
                .build()) {
            Lease lease = carl.tryAcquire(KEY, LeaseOptions.noWait()).orElseThrow();
            // The keeper's own renewals would set the clock, too, and so follow each other without end.
            clockwork.dawdle();
            bench.time.shiftWallClock(HOUR);

            assertThatThrownBy(lease::ensure)
                    .isNotInstanceOf(LeaseLostException.class)
                    .isInstanceOfSatisfying(
                            LeaseException.class,
                            e -> assertThat(e.code()).isEqualTo(LeaseException.Code.RENEWAL_FAILED))
                    .hasMessageContaining("The clock of this process was set")
                    .hasMessageContaining(KEY.toString());

            assertThat(lease.state()).isEqualTo(LeaseState.SUSPECT);
            steps.set(0);
            clockwork.hurry();
            lease.ensure();
            assertThat(lease.isValid()).isTrue();
        }
    }

    /** A client whose wall clock is set during so many renewals. */
    private Bench.Client settingTheClockOnRenewals(AtomicInteger steps) {
        return bench.client("carl", bench.time, clockIsSetOnRenewals(steps));
    }

    private ForwardingStore clockIsSetOnRenewals(AtomicInteger steps) {
        return new ForwardingStore(bench.memory) {
            @Override
            public List<Renewal> renew(List<LeaseRef> leases) {
                if (steps.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    bench.time.shiftWallClock(HOUR.negated());
                }
                return super.renew(leases);
            }
        };
    }

    @Test
    @DisplayName("C07 At its deadline a lease is over for its holder, and not a nanosecond later")
    void deadlineIsNotIncluded() {
        Lease lease = ann.acquire(KEY);
        Duration left = lease.remaining();
        bench.time.pause(left.minusNanos(1));
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remaining()).isEqualTo(Duration.ofNanos(1));
        bench.time.pause(Duration.ofNanos(1));
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
    }

    @Test
    @DisplayName("C07 At its expiry a lease is over for the store, and not a microsecond later")
    void expiryIsNotIncluded() {
        bench.deadHolder(KEY, TTL);
        bench.advance(TTL.minusNanos(1_000));
        assertThat(ann.tryAcquire(KEY)).isInstanceOf(Acquisition.Refused.class);
        bench.advance(Duration.ofNanos(1_000));
        assertThat(ann.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
    }
}
