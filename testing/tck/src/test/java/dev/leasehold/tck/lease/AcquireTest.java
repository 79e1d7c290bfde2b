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
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.store.Owner;
import dev.leasehold.store.StoreException;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.LogLines;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a call to acquire makes of lost, late and missing answers. */
class AcquireTest {
    private static final LeaseOptions NO_WAIT = LeaseOptions.noWait().withTtl(TTL);

    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Bench.Client bob = bench.client("bob");

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("A01 A free key is granted at once, in one request, and others see the holder")
    void freeKeyIsGranted() {
        Lease lease = ann.acquire(KEY);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remaining()).isPositive().isLessThanOrEqualTo(TTL);
        assertThat(lease.fence().value()).isPositive();
        assertThat(ann.store.asked()).containsExactly(Verb.ACQUIRE);
        Acquisition refused = bob.tryAcquire(KEY);
        assertThat(refused).isInstanceOfSatisfying(Acquisition.Refused.class, answer -> {
            assertThat(answer.owner()).contains(Owner.of("ann"));
            assertThat(answer.retryAfter()).isEqualTo(TTL);
        });
        assertThat(bob.store.asked()).containsExactly(Verb.ACQUIRE);
    }

    @Test
    @DisplayName("A05 A grant whose reply was lost is asked for again with the same nonce, and is the same grant")
    void lostReplyIsAskedForAgain() {
        ann.store.next(Verb.ACQUIRE, new Fault.LostReply());
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, NO_WAIT);
        long granted = bench.memory.find(KEY).orElseThrow().record().fence().value();
        assertThat(call).isNotDone();

        bench.advance(Duration.ofMillis(500));

        Lease lease = call.join().orElseThrow();
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.fence().value()).isEqualTo(granted);
        assertThat(lease.attempt()).isEqualTo(1);
        assertThat(ann.store.asked()).containsExactly(Verb.ACQUIRE, Verb.ACQUIRE);
    }

    @Test
    @DisplayName("A05 A request that was carried out twice gives one lease")
    void duplicateRequestGivesOneLease() {
        ann.store.next(Verb.ACQUIRE, new Fault.Duplicate());
        Lease lease = ann.acquire(KEY);
        assertThat(lease.attempt()).isEqualTo(1);
        assertThat(ann.events).hasSize(1);
        lease.release();
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("A06 A request that arrives after its lease was released takes nothing")
    void lateRequestTakesNothing() {
        ann.store.next(Verb.ACQUIRE, new Fault.LateRequest());
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, NO_WAIT);
        bench.advance(Duration.ofMillis(500));
        call.join().orElseThrow().release();

        ann.store.deliverLate();

        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @DisplayName("A07 An answer slower than the TTL is no lease: the same call asks again and gets a fresh one")
    void answerSlowerThanTheTtlIsNoLease() {
        LeaseOptions patient = NO_WAIT.withAttemptLimit(Duration.ofMinutes(2));
        ann.store.next(Verb.ACQUIRE, new Fault.SlowReply(TTL.plusSeconds(1)));
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, patient);

        bench.advance(TTL.plusSeconds(1));
        assertThat(call).isNotDone();
        bench.advance(Duration.ofMillis(500));

        Lease lease = call.join().orElseThrow();
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remaining()).isGreaterThan(TTL.minusSeconds(1));
        assertThat(ann.store.calls(Verb.ACQUIRE)).isEqualTo(2);
    }

    @Test
    @DisplayName("A07 If every answer is slower than the TTL, the call fails and leaves nothing behind")
    void ghostIsReleased() {
        LeaseOptions once = NO_WAIT.withAttemptLimit(Duration.ofMinutes(2)).withRetry(attempts(1));
        ann.store.next(Verb.ACQUIRE, new Fault.SlowReply(TTL.plusSeconds(1)));
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, once);

        bench.advance(TTL.plusSeconds(1));

        assertThatThrownBy(call::join).hasCauseInstanceOf(LeaseException.class);
        assertThat(ann.told()).doesNotContain("lock:acquired");
        assertThat(bench.isHeld(KEY)).isFalse();
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @Tag("part-of:LOCK-3")
    @DisplayName("An attempt that is not answered within 10 s counts as none, and is made again")
    void attemptIsLimitedToTenSeconds() {
        ann.store.next(Verb.ACQUIRE, new Fault.NoReply());
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, NO_WAIT);
        bench.advance(Duration.ofSeconds(10).minusNanos(1));
        assertThat(ann.events).isEmpty();

        bench.advance(Duration.ofNanos(1));
        assertThat(ann.told()).containsExactly("lock:retry");
        bench.advance(Duration.ofMillis(500));

        assertThat(call.join().orElseThrow().isValid()).isTrue();
    }

    @Test
    @DisplayName("A store that never answers ends the call with lock-unavailable, after five attempts of 10 s")
    void silentStoreEndsInUnavailable() {
        ann.store.always(Verb.ACQUIRE, new Fault.NoReply());
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, NO_WAIT);
        bench.advance(Duration.ofMillis(57_500).minusNanos(1));
        assertThat(call).isNotDone();

        bench.advance(Duration.ofNanos(1));

        assertThatThrownBy(call::join)
                .cause()
                .isInstanceOfSatisfying(LeaseException.class, error -> {
                    assertThat(error.code()).isEqualTo(LeaseException.Code.UNAVAILABLE);
                    assertThat(error.isRetryable()).isFalse();
                    assertThat(error.getCause())
                            .isInstanceOfSatisfying(
                                    LeaseException.class,
                                    cause -> assertThat(cause.code()).isEqualTo(LeaseException.Code.TIMEOUT));
                })
                .hasMessageContaining("10000 ms");
        assertThat(ann.told()).containsExactly("lock:retry", "lock:retry", "lock:retry", "lock:retry", "lock:error");
        assertThat(ann.store.calls(Verb.ACQUIRE)).isEqualTo(5);
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @Tag("part-of:LOCK-2")
    @DisplayName("A held key is asked for five times, after 0.5, 1, 2 and 4 s, and then refused")
    void heldKeyIsAskedForFiveTimes() {
        bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, LeaseOptions.defaults());
        for (int[] attempt : new int[][] {{1, 500}, {2, 1_000}, {3, 2_000}, {4, 4_000}}) {
            bench.advance(Duration.ofMillis(attempt[1]).minusNanos(1));
            assertThat(ann.store.calls(Verb.ACQUIRE)).isEqualTo(attempt[0]);
            assertThat(call).isNotDone();
            bench.advance(Duration.ofNanos(1));
        }
        assertThat(ann.store.calls(Verb.ACQUIRE)).isEqualTo(5);
        assertThatThrownBy(() -> call.join().orElseThrow()).isInstanceOfSatisfying(LeaseException.class, error -> {
            assertThat(error.code()).isEqualTo(LeaseException.Code.UNAVAILABLE);
            assertThat(error.isRetryable()).isFalse();
        });
        assertThat(ann.told()).containsExactly("lock:retry", "lock:retry", "lock:retry", "lock:retry", "lock:error");
    }

    @Test
    @Tag("part-of:LOCK-2")
    @DisplayName("A key that comes free between two attempts is acquired by the next, which says its number")
    void keyThatComesFreeIsAcquired() {
        Lease held = bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, LeaseOptions.defaults());
        bench.advance(Duration.ofMillis(600));
        held.release();
        bench.advance(Duration.ofMillis(900));
        assertThat(call.join().orElseThrow().isValid()).isTrue();
        assertThat(ann.events(LeaseEvent.Acquired.class))
                .singleElement()
                .satisfies(event -> assertThat(event.attempt()).isEqualTo(3));
    }

    @Test
    @Tag("part-of:LOCK-2")
    @DisplayName("Every number of the policy counts")
    void policyIsHeeded() {
        bob.acquire(KEY);
        RetryPolicy policy = new RetryPolicy(Duration.ofMillis(10), 1, Duration.ofMillis(10), 3);
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, LeaseOptions.retrying(policy));
        bench.advance(Duration.ofMillis(20));
        assertThat(call.join()).isInstanceOf(Acquisition.Refused.class);
        assertThat(ann.store.calls(Verb.ACQUIRE)).isEqualTo(3);
    }

    @Test
    @Tag("part-of:LOCK-2")
    @DisplayName("A store that is down is asked five times; then lock-unavailable with the cause, not retryable")
    void storeThatIsDownIsUnavailable() {
        ann.store.cutOff();
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, NO_WAIT);
        bench.advance(Duration.ofMillis(7_500));
        assertThatThrownBy(call::join).cause().isInstanceOfSatisfying(LeaseException.class, error -> {
            assertThat(error.code()).isEqualTo(LeaseException.Code.UNAVAILABLE);
            assertThat(error.isRetryable()).isFalse();
            assertThat(error).hasCauseInstanceOf(StoreException.class);
        });
        assertThat(ann.store.calls(Verb.ACQUIRE)).isEqualTo(5);
    }

    @Test
    @DisplayName("A store that says that asking again is of no use is not asked again")
    void hopelessStoreIsNotAskedAgain() {
        StoreException hopeless = new StoreException("the table is missing");
        ann.store.next(Verb.ACQUIRE, new Fault.Failure(hopeless));
        assertThatThrownBy(() -> ann.tryAcquire(KEY))
                .isInstanceOf(LeaseException.class)
                .hasCause(hopeless)
                .hasMessageContaining("the table is missing");
        assertThat(ann.store.calls(Verb.ACQUIRE)).isEqualTo(1);
    }

    @Test
    @DisplayName("W08 A call that failed, or was never answered, does not hold up the closing of its client")
    void failedCallsDoNotHoldUpTheClosing() {
        ann.store.next(Verb.ACQUIRE, new Fault.Failure(new StoreException("the table is missing")));
        assertThatThrownBy(() -> ann.tryAcquire(KEY)).isInstanceOf(LeaseException.class);
        bob.store.always(Verb.ACQUIRE, new Fault.NoReply());
        CompletableFuture<Acquisition> silent =
                bob.leases.acquireAsync(KEY, LeaseOptions.noWait().withRetry(attempts(1)));
        bench.advance(LeaseOptions.DEFAULT_ATTEMPT_LIMIT);
        assertThat(silent).isCompletedExceptionally();
        try (LogLines log = LogLines.of("dev.leasehold")) {
            ann.leases.close();
            bob.leases.close();
            assertThat(log.lines())
                    .as("what it says when it has waited in vain")
                    .isEmpty();
        }
    }

    private static RetryPolicy attempts(int count) {
        return new RetryPolicy(Duration.ofMillis(500), 2, Duration.ofSeconds(4), count);
    }
}
