package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What becomes of leases whose holder died or slept. */
class TakeoverTest {
    private static final LeaseOptions NO_WAIT = LeaseOptions.noWait().withTtl(TTL);

    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Bench.Client bob = bench.client("bob");

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("T01 A waiter gets a dead holder's key within its TTL and one poll")
    void waiterGetsADeadHoldersKey() {
        bench.deadHolder(KEY, TTL);
        CompletableFuture<Acquisition> call = ann.await(KEY, Duration.ofMinutes(5));
        bench.advance(TTL.minusNanos(1));
        assertThat(call).isNotDone();
        bench.advance(Duration.ofMillis(10));
        assertThat(call.join().orElseThrow().isValid()).isTrue();
    }

    @Test
    @DisplayName("T02 A holder that was stopped past its TTL is turned back before it does anything more")
    void stoppedHolderIsTurnedBack() {
        Lease lease = ann.acquire(KEY);
        List<String> written = new ArrayList<>();
        Runnable guarded = () -> {
            lease.ensure();
            written.add("ann");
        };
        guarded.run();
        bench.time.pause(TTL.plusSeconds(5));
        Lease successor = bob.acquire(KEY);

        assertThatThrownBy(guarded::run).isInstanceOf(LeaseLostException.class);

        assertThat(written).containsExactly("ann");
        assertThat(lease.isValid()).isFalse();
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost");
        assertThat(successor.fence()).isGreaterThan(lease.fence());
        bench.advance(TTL);
        assertThat(successor.isValid()).isTrue();
    }

    @Test
    @DisplayName("T02 A holder that was stopped for less than its TTL goes on")
    void brieflyStoppedHolderGoesOn() {
        Lease lease = ann.acquire(KEY);
        bench.time.pause(Duration.ofSeconds(25));
        lease.ensure();
        bench.advance(Duration.ZERO);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:at-risk", "lock:renewed");
        bench.advance(TTL);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @DisplayName("T05 Tries that do not wait are refused until a dead holder's TTL is over, and then succeed")
    void triesSucceedAfterTheTtl() {
        bench.deadHolder(KEY, TTL);
        for (int second = 0; second < TTL.toSeconds(); second++) {
            assertThat(ann.tryAcquire(KEY)).isInstanceOf(Acquisition.Refused.class);
            bench.advanceSeconds(1);
        }
        assertThat(ann.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("T06 With a lock delay the key stays closed that much longer after an expiry")
    void lockDelayCountsAfterAnExpiry() {
        bench.deadHolder(KEY, TTL);
        LeaseOptions careful = NO_WAIT.withLockDelay(Duration.ofSeconds(10));
        bench.advance(TTL.plusSeconds(10).minusNanos(1_000));
        assertThat(ann.leases.tryAcquire(KEY, careful)).isInstanceOf(Acquisition.Refused.class);
        bench.advance(Duration.ofNanos(1_000));
        assertThat(ann.leases.tryAcquire(KEY, careful)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("T06 A waiter with a lock delay gets the key within one poll after that is over")
    void waiterHeedsItsLockDelay() {
        bench.deadHolder(KEY, TTL);
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(
                KEY, LeaseOptions.waitFor(Duration.ofMinutes(5)).withLockDelay(Duration.ofSeconds(10)));
        bench.advance(TTL.plusSeconds(10).minusNanos(1_000));
        assertThat(call).isNotDone();
        bench.advanceSeconds(1);
        assertThat(call).isCompleted();
    }

    @Test
    @DisplayName("T06 After a release there is no lock delay")
    void lockDelayDoesNotCountAfterARelease() {
        bob.acquire(KEY).release();
        LeaseOptions careful = NO_WAIT.withLockDelay(Duration.ofSeconds(10));
        assertThat(ann.leases.tryAcquire(KEY, careful)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("T07 Whoever takes over sees from whom, and with which fence")
    void takerSeesItsPredecessor() {
        Fence fence = bench.deadHolder(KEY, TTL);
        bench.advance(TTL);
        Lease lease = ann.acquire(KEY);
        assertThat(lease.predecessor()).isPresent().get().satisfies(predecessor -> {
            assertThat(predecessor.owner()).isEqualTo(Owner.of("dead"));
            assertThat(predecessor.fence()).isEqualTo(fence);
        });
        assertThat(lease.attempt()).isEqualTo(2);
        assertThat(lease.fence()).isGreaterThan(fence);
    }

    @Test
    @DisplayName("T07 After a release there is no predecessor")
    void releaseLeavesNoPredecessor() {
        bob.acquire(KEY).release();
        Lease lease = ann.acquire(KEY);
        assertThat(lease.predecessor()).isEmpty();
        assertThat(lease.attempt()).isEqualTo(1);
    }

    @Test
    @DisplayName("F07 The fence of a lease that was taken over stays what it was")
    void fenceOfAnOldLeaseStays() {
        Lease lease = ann.acquire(KEY);
        Fence fence = lease.fence();
        bench.time.pause(TTL);
        bob.acquire(KEY);
        assertThat(lease.fence()).isEqualTo(fence);
    }
}
