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
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The scoped form: work under a lease that is given back however the work ends. */
class ScopedWorkTest {
    private static final LeaseOptions NO_WAIT = LeaseOptions.noWait().withTtl(TTL);

    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Bench.Client bob = bench.client("bob");
    private final List<Lease> used = new ArrayList<>();

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("L1 Work gets the lease and its result is handed back; a lease has id, backend, scope and both times")
    void workGetsTheLease() throws InterruptedException {
        String result = ann.leases.with(KEY, NO_WAIT, lease -> {
            lease.ensure();
            assertThat(lease.id()).isNotBlank();
            assertThat(lease.backend()).isEqualTo("memory");
            assertThat(lease.key()).isEqualTo(KEY);
            assertThat(lease.acquiredAt()).isEqualTo(lease.expiresAt().minus(lease.remaining()));
            return "done by " + lease.owner();
        });
        assertThat(result).isEqualTo("done by ann");
    }

    @Test
    @DisplayName("SPEC-L11 Work that returns ends in lock:released")
    void normalEnd() throws InterruptedException {
        ann.leases.with(KEY, NO_WAIT, used::add);
        assertThat(used.get(0).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @DisplayName("SPEC-L11 Work that throws a checked exception ends in lock:released, and the exception comes through")
    void checkedException() {
        IOException failure = new IOException("no paper");
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, lease -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
    }

    @Test
    @DisplayName("SPEC-L11 Work that throws an Error ends in lock:released, and the Error comes through")
    void error() {
        StackOverflowError failure = new StackOverflowError("as the test wants");
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, lease -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
    }

    @Test
    @DisplayName("SPEC-L11 Work that is interrupted ends in lock:released, and stays interrupted")
    void interrupt() {
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, lease -> {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("stopped");
                }))
                .hasMessage("stopped");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @DisplayName("SPEC-L11 If the lease cannot be given back it ends in lock:cleanup-warning, and the result stands")
    void releaseFails() throws InterruptedException {
        ann.store.always(Verb.RELEASE, new Fault.LostRequest());
        int answer = ann.leases.with(KEY, NO_WAIT, lease -> 42);
        assertThat(answer).isEqualTo(42);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:cleanup-warning");
    }

    @Test
    @DisplayName("SPEC-L11 If both the work and the release fail, the work's exception comes through")
    void bothFail() {
        ann.store.always(Verb.RELEASE, new Fault.Failure(new IllegalStateException("store broken")));
        IOException failure = new IOException("no paper");
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, lease -> {
                    throw failure;
                }))
                .isSameAs(failure)
                .hasNoSuppressedExceptions();
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:cleanup-warning");
    }

    @Test
    @DisplayName("SPEC-L11 Work whose lease is lost has heard lock:lost, after which there is nothing to give back")
    void lost() {
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, lease -> {
                    bench.memory.release(ReleaseRequest.of(lease.ref()));
                    used.add(bob.acquire(KEY));
                    bench.advanceSeconds(10);
                    lease.ensure();
                    return used.add(lease);
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost");
        assertThat(used).hasSize(1).allMatch(Lease::isValid);
    }

    @Test
    @DisplayName(
            "SPEC-L11 If the client is closed under running work, the work is told and the key stays closed to others")
    void clientClosed() throws InterruptedException {
        List<String> reasons = new ArrayList<>();
        ann.leases.with(KEY, NO_WAIT, lease -> {
            lease.onLost(reasons::add);
            ann.leases.close();
            assertThat(lease.isValid()).isFalse();
            assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Refused.class);
            return used.add(lease);
        });
        assertThat(reasons).containsExactly("the client was closed");
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost");
        bench.advance(TTL);
        assertThat(bob.tryAcquire(KEY)).as("after the TTL").isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("L1 Leases that nobody works under are given back when the client is closed")
    void idleLeasesAreGivenBack() {
        Lease lease = ann.acquire(KEY);
        ann.leases.close();
        assertThat(lease.isValid()).isFalse();
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("L1 Work is not begun without the lease: lock-unavailable, with the holder in the message")
    void noWorkWithoutTheLease() {
        bob.acquire(KEY);
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, used::add))
                .isInstanceOfSatisfying(
                        LeaseException.class,
                        error -> assertThat(error.code()).isEqualTo(LeaseException.Code.UNAVAILABLE))
                .hasMessageContaining("held by bob");
        assertThat(used).isEmpty();
    }

    @Test
    @DisplayName("Work is interrupted when its lease is lost, if it wants that, and the flag does not outlive it")
    void workIsInterruptedOnLoss() throws InterruptedException {
        boolean wasInterrupted = ann.leases.with(KEY, NO_WAIT.interruptingOnLoss(), lease -> {
            ann.store.cutOff();
            bench.advance(TTL);
            return Thread.currentThread().isInterrupted();
        });
        assertThat(wasInterrupted).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    @DisplayName("An interrupt that is not ours stays when the work ends, whether the lease is lost or not")
    void otherInterruptsStay() throws InterruptedException {
        ann.leases.with(KEY, NO_WAIT.interruptingOnLoss(), lease -> {
            Thread.currentThread().interrupt();
            ann.store.cutOff();
            bench.advance(TTL);
            assertThat(lease.state()).isEqualTo(LeaseState.LOST);
            return used.add(lease);
        });
        assertThat(Thread.interrupted()).isTrue();
        ann.store.heal();
        bench.advance(TTL);
        ann.leases.with(KEY, NO_WAIT.interruptingOnLoss(), lease -> {
            Thread.currentThread().interrupt();
            return used.add(lease);
        });
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    @DisplayName("A lease that is used often, with interrupts on loss, gathers no listeners")
    void usesLeaveNoListeners() {
        FailingClockwork clockwork = new FailingClockwork(bench.time);
        Bench.Client eve = bench.client("eve", clockwork);
        Lease lease = eve.acquire(KEY, NO_WAIT.interruptingOnLoss());
        for (int use = 0; use < 1_000; use++) {
            assertThat(lease.<Boolean, RuntimeException>use(Lease::isValid)).isTrue();
        }
        int before = clockwork.dispatches();
        lease.abandon("as the test wants");
        assertThat(clockwork.dispatches() - before).isLessThan(10);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    @DisplayName("Work is not interrupted unless it wants that, nor after it has ended")
    void workIsNotInterruptedOtherwise() throws InterruptedException {
        boolean wasInterrupted = ann.leases.with(KEY, NO_WAIT, lease -> {
            ann.store.cutOff();
            bench.advance(TTL);
            return Thread.currentThread().isInterrupted();
        });
        assertThat(wasInterrupted).isFalse();
        ann.store.heal();
        bench.advance(Duration.ofSeconds(5));
        ann.leases.with(KEY, NO_WAIT.interruptingOnLoss(), lease -> {
            ann.store.always(Verb.RELEASE, new Fault.LostRequest());
            return used.add(lease);
        });
        bench.advance(TTL.multipliedBy(2));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
