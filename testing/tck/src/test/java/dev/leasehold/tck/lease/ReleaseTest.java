package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.ForwardingStore;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases are given back, at the first try or later. */
class ReleaseTest {
    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Bench.Client bob = bench.client("bob");

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("L03 A store that throws a checked exception, as Kotlin's can, is asked again like any that fails")
    void checkedExceptionOfAStore() {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        LeaseStore store = new ForwardingStore(bench.memory) {
            @Override
            public ReleaseResult release(ReleaseRequest request) {
                if (isFirst.getAndSet(false)) {
                    ReleaseTest.<RuntimeException>sneak(new IOException("as the test wants"));
                }
                return super.release(request);
            }
        };
        try (Leases leases =
                Leases.builder(store).clockwork(bench.time).withoutLog().build()) {
            Lease lease = leases.tryAcquire(KEY).orElseThrow();
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> void sneak(Throwable error) throws X {
        throw (X) error;
    }

    @Test
    @DisplayName("L01 A released key is free at once, in one request, and the lease is not valid any more")
    void releasedKeyIsFree() {
        Lease lease = ann.acquire(KEY);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(ann.store.calls(Verb.RELEASE)).isEqualTo(1);
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("L02 Releasing a second time asks nothing of the store and harms nobody")
    void secondReleaseDoesNothing() {
        Lease lease = ann.acquire(KEY);
        lease.release();
        Lease next = bob.acquire(KEY);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        lease.close();
        assertThat(ann.store.calls(Verb.RELEASE)).isEqualTo(1);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
        bench.advance(TTL);
        assertThat(next.isValid()).isTrue();
    }

    @Test
    @DisplayName("L03 A release after somebody else has taken over changes nothing and says so")
    void staleReleaseIsToldLost() {
        Lease lease = ann.acquire(KEY);
        bench.memory.release(ReleaseRequest.of(lease.ref()));
        bob.acquire(KEY).release(); // The store remembers who released last: now it is not the stale one.
        Lease successor = bob.acquire(KEY);

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.LOST);

        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost");
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        bench.advance(TTL);
        assertThat(successor.isValid()).isTrue();
    }

    @Test
    @DisplayName("L03 A release after the deadline is a loss, even if nobody has taken over")
    void releaseAfterTheDeadlineIsALoss() {
        Lease lease = ann.acquire(KEY);
        bench.time.pause(TTL);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost");
    }

    @Test
    @DisplayName("L04 A release whose reply was lost is made again and ends as released")
    void lostReplyIsAskedForAgain() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RELEASE, new Fault.LostReply());
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(ann.store.calls(Verb.RELEASE)).isEqualTo(2);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @DisplayName("L04 A release that was done and answered late ends as released, although a rival had the key since")
    void lateReplyCounts() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RELEASE, new Fault.SlowReply(Duration.ofSeconds(6)));
        CompletableFuture<ReleaseOutcome> outcome = lease.releaseAsync();
        bob.acquire(KEY).release(); // The store remembers only the last release: the next try finds nothing of ours.

        bench.advanceSeconds(6);

        assertThat(ann.store.calls(Verb.RELEASE)).isEqualTo(2);
        assertThat(outcome).isCompletedWithValue(ReleaseOutcome.RELEASED);
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
        bench.advance(TTL);
        assertThat(ann.store.calls(Verb.RELEASE)).isEqualTo(2);
        assertThat(ann.told()).hasSize(2);
    }

    @Test
    @DisplayName(
            "L04 A release that is refused while an earlier try is never answered is unknown, before the TTL is over")
    void missingReplyIsNoLoss() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RELEASE, new Fault.NoReply());
        CompletableFuture<ReleaseOutcome> outcome = lease.releaseAsync();
        bob.acquire(KEY).release();

        bench.advance(TTL.dividedBy(2));

        assertThat(outcome).isCompletedWithValue(ReleaseOutcome.UNKNOWN);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:cleanup-warning");
    }

    @Test
    @DisplayName("L04 A release that was done, and whose reply was lost, is no loss although a rival had the key since")
    void lostReplyBeforeARivalIsNoLoss() throws InterruptedException {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        LeaseStore store = new ForwardingStore(bench.memory) {
            @Override
            public ReleaseResult release(ReleaseRequest request) {
                ReleaseResult result = super.release(request);
                if (isFirst.getAndSet(false)) {
                    bob.acquire(KEY).release();
                    throw new StoreUnavailableException("The reply was lost, as the test wanted.");
                }
                return result;
            }
        };
        Bench.Client cat = bench.client("cat", bench.time, store);
        assertThat(cat.leases.<String, RuntimeException>with(KEY, LeaseOptions.noWait(), lease -> "done"))
                .isEqualTo("done");
        assertThat(cat.told()).containsExactly("lock:acquired", "lock:cleanup-warning");
    }

    @Test
    @DisplayName("L04 A release that is refused at every try is a loss, although the first refusal came late")
    void lateRefusalIsALoss() {
        Lease lease = ann.acquire(KEY);
        bench.memory.release(ReleaseRequest.of(lease.ref()));
        bob.acquire(KEY).release();
        ann.store.next(Verb.RELEASE, new Fault.SlowReply(Duration.ofSeconds(6)));
        CompletableFuture<ReleaseOutcome> outcome = lease.releaseAsync();
        bench.advanceSeconds(6);
        assertThat(outcome).isCompletedWithValue(ReleaseOutcome.LOST);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost");
    }

    @Test
    @DisplayName("L08 A release whose late reply comes after the warning is not asked for again")
    void lateReplyAfterTheWarning() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RELEASE, new Fault.SlowReply(TTL.dividedBy(2).plusMillis(1)));
        ann.store.always(Verb.RELEASE, new Fault.NoReply());
        CompletableFuture<ReleaseOutcome> outcome = lease.releaseAsync();
        bench.advance(TTL.dividedBy(2));
        assertThat(outcome).isCompletedWithValue(ReleaseOutcome.UNKNOWN);
        int releases = ann.store.calls(Verb.RELEASE);

        bench.advance(TTL);

        assertThat(ann.store.calls(Verb.RELEASE)).isEqualTo(releases);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:cleanup-warning");
    }

    @Test
    @DisplayName("L05 A renewal under way when the lease is released does not bring it back")
    void renewalUnderWayDoesNotBringItBack() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.SlowReply(Duration.ofSeconds(3)));
        bench.advanceSeconds(10);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        bench.advanceSeconds(5);
        assertThat(bench.isHeld(KEY)).isFalse();
        assertThat(lease.isValid()).isFalse();
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
    }

    @Test
    @DisplayName("L05 A renewal that reaches the store after the release finds nothing to renew")
    void lateRenewalFindsNothing() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.LateRequest());
        bench.advanceSeconds(10);
        lease.release();
        ann.store.deliverLate();
        assertThat(bench.isHeld(KEY)).isFalse();
        Lease next = bob.acquire(KEY);
        bench.advance(TTL);
        assertThat(next.isValid()).isTrue();
        assertThat(ann.told()).endsWith("lock:released");
    }

    @Test
    @DisplayName("L07 Another thread may release")
    void anotherThreadMayRelease() {
        Lease lease = ann.acquire(KEY);
        assertThat(CompletableFuture.supplyAsync(lease::release).join()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @Tag("part-of:LOCK-7")
    @DisplayName("L08 With the store down release returns at once with a warning, and the work goes on")
    void releaseReturnsWithTheStoreDown() {
        Lease lease = ann.acquire(KEY);
        ann.store.cutOff();
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
        assertThat(lease.isValid()).isFalse();
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:cleanup-warning");
        assertThat(ann.events(LeaseEvent.CleanupWarning.class))
                .singleElement()
                .satisfies(event ->
                        assertThat(event.message()).contains("report").contains("expires by itself in at most 30 s"));
        bench.advance(TTL);
        assertThat(bob.tryAcquire(KEY)).as("the TTL frees").isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("L08 With the store silent release gives up before the TTL is over")
    void releaseGivesUpOnASilentStore() {
        Lease lease = ann.acquire(KEY);
        ann.store.always(Verb.RELEASE, new Fault.NoReply());
        CompletableFuture<ReleaseOutcome> outcome = lease.releaseAsync();
        bench.advance(TTL.dividedBy(2).minusNanos(1));
        assertThat(outcome).isNotDone();
        bench.advance(Duration.ofNanos(1));
        assertThat(outcome).isCompletedWithValue(ReleaseOutcome.UNKNOWN);
    }

    @Test
    @DisplayName(
            "L08 A lease that could not be given back is, as soon as the store can be reached, without a word more")
    void releaseGoesOnInTheBackground() {
        Lease lease = ann.acquire(KEY);
        ann.store.cutOff();
        lease.release();
        bench.advanceSeconds(2);
        ann.store.heal();
        bench.advanceSeconds(2);
        assertThat(bench.isHeld(KEY)).isFalse();
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:cleanup-warning");
    }

    @Test
    @DisplayName("A lease that could not be given back is forgotten when its TTL is over")
    void endedLeaseIsForgotten() {
        Lease lease = ann.acquire(KEY);
        ann.store.cutOff();
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
        bench.advance(TTL);
        ann.store.heal();
        int releases = ann.store.calls(Verb.RELEASE);

        assertThat(ann.acquire(KEY).fence()).isGreaterThan(lease.fence());

        assertThat(ann.store.calls(Verb.RELEASE))
                .as("nothing is left to clean up")
                .isEqualTo(releases);
    }

    @Test
    @Tag("part-of:LOCK-7")
    @DisplayName("The next acquire tries to clean up first")
    void nextAcquireCleansUpFirst() {
        Lease lease = ann.acquire(KEY);
        for (int tries = 0; tries < 3; tries++) {
            ann.store.next(Verb.RELEASE, new Fault.LostRequest());
        }
        lease.release();
        assertThat(bench.isHeld(KEY)).isTrue();

        Lease next = ann.acquire(KEY);

        assertThat(next.fence()).isGreaterThan(lease.fence());
        assertThat(ann.store.asked())
                .containsExactly(Verb.ACQUIRE, Verb.RELEASE, Verb.RELEASE, Verb.RELEASE, Verb.RELEASE, Verb.ACQUIRE);
        bench.advance(TTL);
        assertThat(next.isValid()).isTrue();
    }

    @Test
    @Tag("part-of:LOCK-7")
    @DisplayName("A clean-up that fails does not keep the next acquire from asking")
    void failedCleanUpDoesNotStopTheNext() {
        Lease lease = ann.acquire(KEY);
        ann.store.always(Verb.RELEASE, new Fault.LostRequest());
        lease.release();
        assertThat(ann.tryAcquire(KEY)).isInstanceOf(Acquisition.Refused.class);
        bench.advance(TTL);
        assertThat(ann.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("L10 A lease that an operator ended is lost at the next renewal, and the next fence is larger")
    void operatorMayEndALease() {
        Lease lease = ann.acquire(KEY);
        bench.memory.release(ReleaseRequest.withdrawing(KEY, lease.ref().nonce()));
        assertThat(bob.acquire(KEY).fence()).isGreaterThan(lease.fence());
        bench.advanceSeconds(10);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    @DisplayName("A release with a cooldown closes the key for that long to those who respect it")
    void cooldownClosesTheKey() {
        ann.acquire(KEY).release(Duration.ofSeconds(30));
        assertThat(bob.tryAcquire(KEY)).hasToString("report is cooling down for 30.0 s more");
        Lease hasty = bob.acquire(KEY, LeaseOptions.noWait().ignoringCooldown());
        hasty.release(Duration.ofSeconds(30));
        bench.advanceSeconds(30);
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
    }
}
