package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Leases are acquired, kept, lost and given back. */
abstract class LeasesContractHolding extends LeasesContractFixture {
    @Test
    @DisplayName("A01 A free key is granted, and others are refused and told who has it")
    final void freeKeyIsGranted() {
        Key key = key();
        Lease lease = acquire(ann, key);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remaining()).isPositive().isLessThanOrEqualTo(LeaseOptions.DEFAULT_TTL);
        assertThat(lease.fence().value()).isPositive();
        Acquisition.Refused refused = refused(bob.tryAcquire(key));
        assertThat(refused.retryAfter()).isPositive().isLessThanOrEqualTo(LeaseOptions.DEFAULT_TTL);
        refused.owner().ifPresent(owner -> assertThat(owner).isEqualTo(lease.owner()));
    }

    @Test
    @DisplayName("A05 A grant whose reply was lost is asked for again, and is the same grant")
    final void lostReplyIsAskedForAgain() {
        Key key = key();
        FaultyStore faulty = FaultyStore.inRealTime(store);
        faulty.next(FaultyStore.Verb.ACQUIRE, new FaultyStore.Fault.LostReply());
        RetryPolicy soon = new RetryPolicy(Duration.ofMillis(5), 1, Duration.ofMillis(5), 5);
        Lease lease = client(faulty).tryAcquire(key, noWait().withRetry(soon)).orElseThrow();
        assertThat(faulty.struck()).hasSize(1);
        assertThat(lease.attempt()).isEqualTo(1);
        assertThat(lease.isValid()).isTrue();
        lease.release();
        assertThat(acquire(bob, key).isValid()).isTrue();
    }

    @Test
    @DisplayName("A12 A thread that has the key and asks again is refused, and not locked up")
    final void sameThreadIsRefused() throws InterruptedException {
        Key key = key();
        Lease lease = acquire(ann, key);
        assertThat(refused(ann.tryAcquire(key)).key()).isEqualTo(key);
        assertThat(refused(ann.acquire(key, inLine(Duration.ZERO))).key()).isEqualTo(key);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @DisplayName("A13 Two clients with the same owner, and two threads of one, are different holders")
    final void sameOwnerIsAnotherHolder() throws Exception {
        Key key = key();
        List<Acquisition> results = Race.of(6, racer -> () -> (racer % 2 == 0 ? ann : bob).tryAcquire(key));
        List<Lease> leases =
                results.stream().flatMap(result -> result.toOptional().stream()).toList();
        assertThat(leases).hasSize(1);
        leases.get(0).release();
        assertThat(acquire(bob, key).fence()).isGreaterThan(leases.get(0).fence());
    }

    @Test
    @DisplayName("R01 A lease that is held for several TTLs is kept, with its fence")
    final void leaseIsKept() {
        Key key = key();
        Lease lease = ann.tryAcquire(key, noWait()).orElseThrow();
        Fence fence = lease.fence();
        long end = System.nanoTime() + ttl().multipliedBy(3).toNanos();
        while (System.nanoTime() < end) {
            Threads.pause(ttl().dividedBy(8));
            lease.ensure();
            assertThat(refused(bob.tryAcquire(key, noWait())).key()).isEqualTo(key);
        }
        assertThat(lease.fence()).isEqualTo(fence);
        assertThat(told(lease)).contains("lock:renewed").doesNotContain("lock:lost");
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    @DisplayName("R02 A lease that was taken over is told lost, once, by the next renewal")
    final void takenLeaseIsLost() {
        Lease lease = ann.tryAcquire(key(), noWait()).orElseThrow();
        ConcurrentLinkedQueue<String> reasons = new ConcurrentLinkedQueue<>();
        lease.onLost(reasons::add);
        Lease successor = takeAway(lease);
        Threads.eventually("told lost", () -> !reasons.isEmpty());
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThatThrownBy(lease::ensure).isInstanceOf(LeaseLostException.class);
        assertThat(successor.renew()).isAfter(successor.acquiredAt());
        Threads.eventually("the event of the loss", () -> told(lease).contains("lock:lost"));
        assertThat(told(lease)).endsWith("lock:lost").containsOnlyOnce("lock:lost");
        assertThat(reasons).hasSize(1);
    }

    @Test
    @DisplayName("L01 A key that was released is granted at once, with a larger fence")
    final void releasedKeyIsFree() {
        Key key = key();
        Lease lease = acquire(ann, key);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(lease.isValid()).isFalse();
        assertThat(acquire(bob, key).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @DisplayName("L02 Releasing twice is releasing once")
    final void secondReleaseDoesNothing() {
        Key key = key();
        Lease lease = acquire(ann, key);
        lease.release();
        Lease next = acquire(bob, key);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(next.renew()).isAfter(next.acquiredAt());
        Threads.eventually("the event of the release", () -> told(lease).contains("lock:released"));
        assertThat(told(lease)).containsOnlyOnce("lock:released");
    }

    @Test
    @DisplayName("L03 A stale release leaves the key to the successor, and says so")
    final void staleReleaseIsHarmless() {
        Lease lease = acquire(ann, key());
        Lease successor = takeAway(lease);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(isHeld(lease.key())).isTrue();
        assertThat(successor.renew()).isAfter(successor.acquiredAt());
    }

    @Test
    @DisplayName("L06 Closing a lease after its holder was told of the loss is quiet")
    final void closingALeaseKnownToBeLostIsQuiet() {
        Lease successor;
        try (Lease lease = acquire(ann, key())) {
            successor = takeAway(lease);
            assertThatThrownBy(lease::renew).isInstanceOf(LeaseLostException.class);
        }
        assertThat(successor.renew()).isAfter(successor.acquiredAt());
    }

    @Test
    @DisplayName("A try block whose lease was lost unnoticed ends in LeaseLostException")
    final void tryBlockTellsOfTheLoss() {
        List<Lease> successor = new ArrayList<>();
        assertThatThrownBy(() -> {
                    try (Lease lease = acquire(ann, key())) {
                        successor.add(takeAway(lease));
                    }
                })
                .isInstanceOf(LeaseLostException.class);
        assertThat(successor.get(0).renew()).isAfter(successor.get(0).acquiredAt());
    }

    @Test
    @DisplayName("L07 Any thread may release a lease")
    final void anyThreadMayRelease() throws Exception {
        Lease lease = acquire(ann, key());
        ReleaseOutcome outcome = CompletableFuture.supplyAsync(lease::release).get(10, TimeUnit.SECONDS);
        assertThat(outcome).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(isHeld(lease.key())).isFalse();
    }

    @Test
    @DisplayName("T05, T07 Tries that do not wait succeed once a dead holder's TTL is over, and learn who it was")
    final void deadHolderIsTakenOver() throws Exception {
        Key key = key();
        Owner dead = Owner.of("dead");
        LeaseRef left = take(AcquireRequest.of(key, nonce(), dead, ttl()));
        assertThat(refused(bob.tryAcquire(key, noWait())).key()).isEqualTo(key);
        elapse(ttl());
        Lease lease = bob.tryAcquire(key, noWait()).orElseThrow();
        assertThat(lease.fence()).isGreaterThan(left.fence());
        assertThat(lease.predecessor()).isPresent().get().satisfies(predecessor -> {
            assertThat(predecessor.fence()).isEqualTo(left.fence());
            if (predecessor.owner() != null) {
                assertThat(predecessor.owner()).isEqualTo(dead);
            }
        });
    }

    @Test
    @DisplayName("E01 A lease is acquired, renewed, and released, and nothing follows")
    final void eventsComeInOrder() {
        Lease lease = ann.tryAcquire(key(), noWait()).orElseThrow();
        Threads.eventually("renewed", () -> told(lease).contains("lock:renewed"));
        lease.release();
        Threads.pause(ttl().dividedBy(2));
        List<String> told = told(lease);
        assertThat(told).startsWith("lock:acquired").endsWith("lock:released");
        assertThat(told.subList(1, told.size() - 1)).containsOnly("lock:renewed");
    }
}
