package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.ForwardingStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases renew themselves, through whatever befalls the requests. */
class RenewTest {
    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Bench.Client bob = bench.client("bob");

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("R01 A lease held for ten TTLs is valid all the time and keeps its fence")
    void leaseIsKept() {
        Lease lease = ann.acquire(KEY);
        Fence fence = lease.fence();
        for (int second = 0; second < 300; second++) {
            bench.advanceSeconds(1);
            lease.ensure();
            assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Refused.class);
        }
        assertThat(lease.fence()).isEqualTo(fence);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(ann.told()).startsWith("lock:acquired").doesNotContain("lock:at-risk", "lock:lost");
        assertThat(ann.store.calls(Verb.RENEW)).isBetween(30, 34);
    }

    @Test
    @DisplayName("R02 A lease that somebody else has by now is told lost by the next renewal, once")
    void takenLeaseIsLost() {
        Lease lease = ann.acquire(KEY);
        List<String> reasons = new ArrayList<>();
        lease.onLost(reasons::add);
        bench.memory.release(ReleaseRequest.of(lease.ref()));
        Lease successor = bob.acquire(KEY);

        bench.advanceSeconds(10);

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(reasons).containsExactly("another holder has it");
        bench.advanceSeconds(60);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost");
        assertThat(reasons).hasSize(1);
        assertThat(successor.isValid()).isTrue();
    }

    @Test
    @DisplayName("R04 A renewal that was carried out but not answered is made again, and nothing is lost")
    void lostReplyIsNoLoss() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.LostReply());
        bench.advanceSeconds(11);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:retry", "lock:renewed");
        bench.advance(TTL.multipliedBy(3));
        assertThat(lease.isValid()).isTrue();
        assertThat(ann.told()).doesNotContain("lock:at-risk", "lock:lost");
    }

    @Test
    @DisplayName("R05 A renewal that throws does not end the heartbeat")
    void heartbeatOutlivesAnException() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.Failure(new IllegalStateException("pool closed")));
        ann.store.next(Verb.RENEW, new Fault.Failure(new NullPointerException()));
        bench.advance(TTL.multipliedBy(3));
        assertThat(lease.isValid()).isTrue();
        assertThat(ann.store.struck()).hasSize(2);
        assertThat(ann.events(LeaseEvent.Retry.class))
                .extracting(LeaseEvent.Retry::reason)
                .containsOnly(LeaseEvent.Reason.TRANSIENT_ERROR);
    }

    @Test
    @DisplayName("R08 One key whose renewal hangs does not cost the others theirs")
    void slowKeyHarmsNoOther() {
        List<Lease> others = acquireMany(40);
        Lease slow = ann.acquire(KEY);
        ann.store.always(KEY, new Fault.NoReply());

        bench.advance(TTL.minusSeconds(1));
        assertThat(others).allMatch(lease -> lease.remaining().compareTo(TTL.dividedBy(3)) > 0);
        bench.advance(TTL.multipliedBy(5));

        assertThat(slow.state()).isEqualTo(LeaseState.LOST);
        assertThat(others).allMatch(Lease::isValid);
        assertThat(ann.told()).containsOnlyOnce("lock:lost");
    }

    @Test
    @DisplayName("R08 One key whose renewal fails does not cost the others theirs")
    void failingKeyHarmsNoOther() {
        List<Lease> others = acquireMany(40);
        Lease failing = ann.acquire(KEY);
        ann.store.always(KEY, new Fault.Failure(new IllegalStateException("this row is broken")));

        bench.advance(TTL.multipliedBy(6));

        assertThat(failing.state()).isEqualTo(LeaseState.LOST);
        assertThat(others).allMatch(Lease::isValid);
    }

    @Test
    @DisplayName("R09 If the store hangs, the lease is lost at its deadline and not when some socket times out")
    void hangingStoreMeansLossAtTheDeadline() {
        Lease lease = ann.acquire(KEY);
        Duration left = lease.remaining();
        ann.store.always(Verb.RENEW, new Fault.NoReply());

        bench.advance(left.minusNanos(1));
        assertThat(lease.isValid()).isTrue();
        assertThat(ann.told()).doesNotContain("lock:lost");
        bench.advance(Duration.ofNanos(1));

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(ann.told()).endsWith("lock:lost");
    }

    @Test
    @DisplayName("R10 A grant answered after nine tenths of the TTL is good for the last tenth at most")
    void grantCountsFromItsSending() {
        Duration late = TTL.multipliedBy(9).dividedBy(10);
        ann.store.next(Verb.ACQUIRE, new Fault.SlowReply(late)).always(Verb.RENEW, new Fault.NoReply());
        CompletableFuture<Acquisition> call =
                ann.leases.acquireAsync(KEY, LeaseOptions.noWait().withAttemptLimit(TTL));
        bench.advance(late);
        Lease lease = call.join().orElseThrow();
        assertThat(lease.remaining()).isPositive().isLessThanOrEqualTo(TTL.minus(late));
    }

    @Test
    @DisplayName("R10 A renewal answered late counts from its sending, too")
    void renewalCountsFromItsSending() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.SlowReply(Duration.ofSeconds(19)));
        ann.store.always(Verb.RENEW, new Fault.NoReply());
        bench.advanceSeconds(29.5);
        assertThat(ann.told()).containsOnlyOnce("lock:renewed");
        assertThat(lease.remaining()).isPositive().isLessThan(Duration.ofSeconds(11));
    }

    @Test
    @DisplayName("R11 The answer to an old renewal, overtaken by a newer one, does not bring the deadline forward")
    void oldAnswerDoesNotShortenTheLease() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.SlowReply(Duration.ofSeconds(8)));
        bench.advanceSeconds(16);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:retry", "lock:renewed");
        Duration left = lease.remaining();

        bench.advanceSeconds(2);

        assertThat(lease.remaining()).isEqualTo(left.minusSeconds(2));
        assertThat(ann.events).hasSize(3);
    }

    @Test
    @DisplayName("R14 Ten thousand leases are renewed on time, two thousand in one request")
    void manyLeasesAreBatched() {
        List<Lease> leases = acquireMany(10_000);
        for (int second = 0; second < 60; second++) {
            bench.advanceSeconds(1);
            assertThat(leases).allMatch(Lease::isValid);
        }
        assertThat(ann.told()).doesNotContain("lock:at-risk", "lock:retry");
        assertThat(ann.store.calls(Verb.RENEW)).as("requests in two TTLs").isBetween(30, 50);
    }

    @Test
    @Tag("part-of:LOCK-6")
    @DisplayName("Renewing is tried again after 0.5, 1, 2 and 4 s, and then every 4 s for as long as the lease lives")
    void renewalIsRetriedByTheBook() {
        Lease lease = ann.acquire(KEY);
        ann.store.always(Verb.RENEW, new Fault.LostRequest());
        bench.advanceSeconds(18);

        assertThat(ann.events(LeaseEvent.Retry.class))
                .allMatch(retry -> retry.reason() == LeaseEvent.Reason.UNAVAILABLE)
                .extracting(LeaseEvent.Retry::attempt, LeaseEvent.Retry::delay)
                .containsExactly(retry(1, 500), retry(2, 1_000), retry(3, 2_000), retry(4, 4_000), retry(5, 4_000));
        assertThat(ann.told()).doesNotContain("lock:error");
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @Tag("part-of:LOCK-6")
    @DisplayName("The count of failures starts anew after a renewal that got through")
    void successResetsTheCount() {
        Lease lease = ann.acquire(KEY);
        for (int i = 0; i < 4; i++) {
            ann.store.next(Verb.RENEW, new Fault.LostRequest());
        }
        bench.advanceSeconds(18);
        assertThat(ann.told()).endsWith("lock:renewed").doesNotContain("lock:error");
        ann.store.next(Verb.RENEW, new Fault.LostRequest());
        bench.advanceSeconds(11);
        assertThat(ann.events(LeaseEvent.Retry.class))
                .last()
                .extracting(LeaseEvent.Retry::attempt, LeaseEvent.Retry::delay)
                .containsExactly(1, Duration.ofMillis(500));
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @Tag("part-of:LOCK-1")
    @DisplayName("A holder may renew by hand, which says until when")
    void renewalByHand() {
        Lease lease = ann.acquire(KEY);
        bench.advanceSeconds(5);
        assertThat(lease.renew())
                .isEqualTo(lease.expiresAt())
                .isAfter(lease.acquiredAt().plusSeconds(34));
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:renewed");
        assertThat(ann.store.calls(Verb.RENEW)).isEqualTo(1);
    }

    @Test
    @DisplayName("A holder may renew with another TTL, which counts for later renewals and in the store too")
    void renewalWithAnotherTtl() {
        Lease lease = ann.acquire(KEY);
        bench.advanceSeconds(5);
        assertThat(lease.renew(Duration.ofMinutes(3)))
                .isAfter(lease.acquiredAt().plusSeconds(180));
        assertThat(expiryInStore()).isEqualTo(lease.acquiredAt().plusSeconds(185));
        bench.advanceSeconds(50);
        assertThat(ann.store.calls(Verb.RENEW)).isEqualTo(1);
        bench.advanceSeconds(15);
        assertThat(ann.store.calls(Verb.RENEW)).isEqualTo(2);
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(160));
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:renewed", "lock:renewed");
    }

    private Instant expiryInStore() {
        return Instant.EPOCH.plusNanos(
                bench.memory.find(KEY).orElseThrow().record().expiryMicros() * 1_000);
    }

    @Test
    @DisplayName("A shorter TTL counts at once, although the answer is lost or an older renewal is answered late")
    void shorterTtl() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.SlowReply(Duration.ofSeconds(3)));
        ann.store.next(Verb.RENEW, new Fault.LostReply());
        ann.store.always(Verb.RENEW, new Fault.LostRequest());
        assertThat(lease.renewAsync()).isNotDone();
        assertThat(lease.renewAsync(Duration.ofSeconds(6))).isCompletedExceptionally();
        assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(6));
        bench.advanceSeconds(4);
        assertThat(lease.expiresAt()).isBefore(expiryInStore());
        bench.advanceSeconds(2);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName(
            "After a renewal with a much shorter TTL, a sleep longer than that TTL makes the lease invalid at once")
    void shorterTtlAndASleep() {
        Lease lease = ann.acquire(KEY, LeaseOptions.noWait().withTtl(Duration.ofHours(1)));
        bench.advanceSeconds(1);
        lease.renew(Duration.ofSeconds(10));
        bench.time.suspend(Duration.ofSeconds(12));
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    @DisplayName("A renewal with a shorter TTL ends a danger, and is told like any other")
    void shorterTtlInDanger() {
        Lease lease = ann.acquire(KEY);
        ann.store.always(Verb.RENEW, new Fault.LostRequest());
        bench.advanceSeconds(22);
        assertThat(lease.state()).isEqualTo(LeaseState.AT_RISK);
        ann.store.heal();
        lease.renew(Duration.ofSeconds(5));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(ann.told()).endsWith("lock:renewed");
    }

    @Test
    @DisplayName("A late answer to a longer TTL does not undo a shorter one that was answered before")
    void lateAnswerToALongerTtl() {
        OvertakenRequest overtaken = new OvertakenRequest(bench.memory);
        Bench.Client cat = bench.client("cat", bench.time, overtaken);
        Lease lease = cat.acquire(KEY, LeaseOptions.noWait().withTtl(Duration.ofSeconds(6)));
        overtaken.afterwards = () -> {
            bench.advanceSeconds(1.5);
            assertThat(lease.renewAsync(Duration.ofSeconds(8))).isCompleted();
        };
        assertThat(lease.renewAsync(Duration.ofSeconds(30))).isCompletedExceptionally();
        cat.store.always(Verb.RENEW, new Fault.LostRequest());
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.expiresAt()).isBefore(expiryInStore());
        bench.advanceSeconds(8);
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    @DisplayName("A shorter TTL that was not answered limits the lease, although a longer one was answered since")
    void lateRequestForAShorterTtl() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.LateRequest());
        assertThat(lease.renewAsync(Duration.ofSeconds(3))).isCompletedExceptionally();
        lease.renew(TTL);
        assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(3));
        bench.advance(TTL);
        assertThat(lease.isValid())
                .as("renewed often enough for the shorter TTL")
                .isTrue();
        assertThat(ann.told()).doesNotContain("lock:at-risk");
        ann.store.always(Verb.RENEW, new Fault.LostRequest());
        ann.store.deliverLate();
        assertThat(lease.expiresAt()).isBefore(expiryInStore());
        bench.advanceSeconds(3);
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    @DisplayName("A shorter TTL that was answered late limits the lease no more once a renewal tells the store's TTL")
    void lateAnswerToAShorterTtl() {
        OvertakenRequest overtaken = new OvertakenRequest(bench.memory);
        Bench.Client cat = bench.client("cat", bench.time, overtaken);
        Lease lease = cat.acquire(KEY);
        overtaken.afterwards = () -> {
            bench.advanceSeconds(1.5);
            assertThat(lease.renewAsync(TTL)).isCompleted();
            assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(6));
        };
        assertThat(lease.renewAsync(Duration.ofSeconds(6))).isCompletedExceptionally();
        bench.advanceSeconds(3);
        assertThat(lease.remaining()).isGreaterThan(TTL.minusSeconds(3));
        int renewals = cat.store.calls(Verb.RENEW);
        bench.advance(TTL);
        assertThat(cat.store.calls(Verb.RENEW) - renewals).isLessThan(5);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @DisplayName("A TTL that the store took over after a longer one, asked for later, is the one that counts")
    void overtakenTtl() {
        OvertakenRequest overtaken = new OvertakenRequest(bench.memory);
        Bench.Client cat = bench.client("cat", bench.time, overtaken);
        Lease lease = cat.acquire(KEY);
        overtaken.before = () -> {
            assertThat(lease.renewAsync(TTL)).isCompleted();
        };
        assertThat(lease.renewAsync(Duration.ofSeconds(6))).isCompleted();
        assertThat(lease.expiresAt()).isBefore(expiryInStore());
        bench.advance(TTL);
        assertThat(lease.isValid()).isTrue();
        assertThat(cat.told()).doesNotContain("lock:at-risk", "lock:lost");
    }

    /** A store in which something else happens before the first request for a TTL is done, or before it is answered. */
    private static final class OvertakenRequest extends ForwardingStore {
        private Runnable before = () -> {};
        private Runnable afterwards = () -> {};

        OvertakenRequest(LeaseStore store) {
            super(store);
        }

        @Override
        public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
            Runnable first = before;
            before = () -> {};
            first.run();
            Optional<Renewal> result = super.renew(lease, ttl);
            Runnable last = afterwards;
            afterwards = () -> {};
            last.run();
            return result;
        }
    }

    @Test
    @DisplayName(
            "A TTL that no lease can have is refused, and a store that cannot change one says so; the lease goes on")
    void impossibleTtl() {
        Lease lease = ann.acquire(KEY);
        assertThatThrownBy(() -> lease.renew(Duration.ofMillis(1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lease.renew(Duration.ofDays(10_000))).isInstanceOf(IllegalArgumentException.class);
        ann.store.next(Verb.RENEW, new Fault.Failure(new StoreUnsupportedException("No TTLs here.")));
        assertThatThrownBy(() -> lease.renew(TTL.multipliedBy(2)))
                .isInstanceOfSatisfying(LeaseException.class, error -> {
                    assertThat(error.code()).isEqualTo(LeaseException.Code.RENEWAL_FAILED);
                    assertThat(error.isRetryable()).isFalse();
                })
                .hasMessageContaining("No TTLs here");
        bench.advance(TTL.multipliedBy(2));
        assertThat(lease.isValid()).isTrue();
        assertThat(ann.told()).doesNotContain("lock:retry");
    }

    @Test
    @DisplayName("A release is tried again, and its warning counts, for the longest TTL that the store may have")
    void releaseAfterAnUnansweredTtl() {
        LeaseOptions options = LeaseOptions.noWait()
                .withTtl(Duration.ofSeconds(60))
                .withRetry(RetryPolicy.DEFAULT.withInitialDelay(Duration.ofSeconds(4)));
        for (Duration ttl : List.of(Duration.ofSeconds(1), Duration.ofSeconds(90))) {
            ann.events.clear();
            Lease lease = ann.acquire(KEY, options);
            ann.store.always(Verb.RENEW, new Fault.LostRequest());
            ann.store.always(Verb.RELEASE, new Fault.LostRequest());
            assertThat(lease.renewAsync(ttl)).isCompletedExceptionally();
            lease.release();
            long longest = Math.max(60, ttl.toSeconds());
            assertThat(ann.events(LeaseEvent.CleanupWarning.class))
                    .singleElement()
                    .satisfies(warning ->
                            assertThat(warning.message()).endsWith("expires by itself in at most " + longest + " s."));
            bench.advanceSeconds(3);
            ann.store.heal();
            bench.advanceSeconds(5);
            assertThat(bench.isHeld(KEY)).isFalse();
        }
    }

    @Test
    @DisplayName("A shorter TTL that certainly did not reach the record limits the lease only until the next renewal")
    void ttlThatFailed() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.Failure(new StoreException("this row is broken")));
        assertThat(lease.renewAsync(Duration.ofSeconds(3))).isCompletedExceptionally();
        assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(3));
        bench.advanceSeconds(2);
        assertThat(lease.remaining()).isGreaterThan(TTL.minusSeconds(3));
    }

    private static LeaseOptions living(int ttlSeconds, int longestSeconds) {
        return LeaseOptions.noWait()
                .withTtl(Duration.ofSeconds(ttlSeconds))
                .withLongestLife(Duration.ofSeconds(longestSeconds));
    }

    @Test
    @DisplayName(
            "A TTL that is longer than what is left of the longest life is refused, and nothing changes in the store")
    void ttlBeyondTheLongestLife() {
        Lease lease = ann.acquire(KEY, living(1, 3));
        bench.advanceSeconds(1);
        Instant expiry = expiryInStore();
        for (Duration ttl : List.of(Duration.ofHours(1), Duration.ofMillis(2_001))) {
            assertThatThrownBy(() -> lease.renew(ttl))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("PT2S");
            assertThatThrownBy(() -> lease.renewAsync(ttl)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(expiryInStore()).isEqualTo(expiry);
        lease.renew(Duration.ofSeconds(2));
        assertThat(expiryInStore()).isEqualTo(lease.acquiredAt().plusSeconds(3));
        bench.advanceSeconds(2);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName(
            "A shorter TTL counts, in the store too, although the lease is not renewed any more before its longest life")
    void shorterTtlOfAnEndingLease() {
        Lease lease = ann.acquire(KEY, living(10, 12));
        bench.advanceSeconds(1);
        lease.renew(Duration.ofSeconds(2));
        assertThat(expiryInStore()).isEqualTo(lease.acquiredAt().plusSeconds(3));
        assertThat(lease.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(2));
        bench.advanceSeconds(8);
        assertThat(lease.isValid()).isTrue();
        bench.advanceSeconds(3);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(expiryInStore()).isBeforeOrEqualTo(lease.acquiredAt().plusSeconds(12));
    }

    @Test
    @DisplayName("A shorter TTL that is not answered does not let the lease outlive its longest life in the store")
    void unansweredTtlOfAnEndingLease() {
        Lease lease = ann.acquire(KEY, living(10, 12));
        bench.advanceSeconds(6);
        ann.store.next(Verb.RENEW, new Fault.LostRequest());
        assertThat(lease.renewAsync(Duration.ofSeconds(2))).isCompletedExceptionally();
        bench.advanceSeconds(2);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(expiryInStore()).isEqualTo(lease.acquiredAt().plusSeconds(10));
    }

    @Test
    @DisplayName("A shorter TTL that the store refuses changes nothing")
    void refusedShorterTtl() {
        Lease lease = ann.acquire(KEY);
        Duration before = lease.remaining();
        ann.store.next(Verb.RENEW, new Fault.Failure(new StoreUnsupportedException("No TTLs here.")));
        assertThat(lease.renewAsync(Duration.ofSeconds(5))).isCompletedExceptionally();
        assertThat(lease.remaining()).isEqualTo(before);
        bench.advanceSeconds(8);
        assertThat(ann.store.calls(Verb.RENEW)).as("renewed no sooner").isEqualTo(1);
        bench.advance(TTL.multipliedBy(2));
        assertThat(lease.isValid()).isTrue();
        assertThat(ann.told()).doesNotContain("lock:retry", "lock:at-risk");
    }

    @Test
    @DisplayName("A renewal without a TTL that comes while a TTL is asked for does not fail because the TTL is refused")
    void renewalBesideARefusedTtl() {
        RefusingTtls refusing = new RefusingTtls(bench.memory);
        Bench.Client cat = bench.client("cat", bench.time, refusing);
        Lease lease = cat.acquire(KEY);
        bench.advanceSeconds(1);
        Instant expiry = lease.expiresAt();
        List<CompletableFuture<Instant>> plain = new ArrayList<>();
        refusing.before = () -> plain.add(lease.renewAsync());
        assertThat(lease.renewAsync(Duration.ofSeconds(5))).isCompletedExceptionally();
        assertThat(plain)
                .singleElement()
                .satisfies(renewal -> assertThat(renewal).isCompleted());
        assertThat(lease.expiresAt()).isEqualTo(expiry);
        bench.advance(TTL.multipliedBy(2));
        assertThat(lease.isValid()).isTrue();
        assertThat(cat.told()).doesNotContain("lock:retry", "lock:at-risk");
    }

    @Test
    @DisplayName("A shorter TTL that the store refuses is undone, although a renewal without a TTL was sent since")
    void refusedTtlIsUndoneBesideARenewal() {
        RefusingTtls refusing = new RefusingTtls(bench.memory);
        Bench.Client cat = bench.client("cat", bench.time, refusing);
        Lease lease = cat.acquire(KEY);
        Duration before = lease.remaining();
        refusing.before = () -> {
            cat.store.next(Verb.RENEW, new Fault.NoReply());
            assertThat(lease.renewAsync()).isNotDone();
        };
        assertThat(lease.renewAsync(Duration.ofSeconds(5))).isCompletedExceptionally();
        assertThat(lease.remaining()).isEqualTo(before);
    }

    /** A store that changes no TTL, and in which something else happens before it says so. */
    private static final class RefusingTtls extends ForwardingStore {
        private Runnable before = () -> {};

        RefusingTtls(LeaseStore store) {
            super(store);
        }

        @Override
        public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
            before.run();
            throw new StoreUnsupportedException("No TTLs here.");
        }
    }

    @Test
    @DisplayName("A shorter TTL that the store refuses beside another, not answered yet, leaves that one in force")
    void refusedBesideAnother() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.NoReply());
        ann.store.next(Verb.RENEW, new Fault.Failure(new StoreUnsupportedException("No TTLs here.")));
        assertThat(lease.renewAsync(Duration.ofSeconds(6))).isNotDone();
        assertThat(lease.renewAsync(Duration.ofSeconds(5))).isCompletedExceptionally();
        assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(6));
    }

    @Test
    @DisplayName("With a policy for renewals, a lease that was renewed together with one that cannot be is kept")
    void hopelessRenewalOfOne() {
        LeaseOptions options = LeaseOptions.noWait().withTtl(TTL).withRenewalRetry(RetryPolicy.DEFAULT);
        Lease broken = ann.acquire(KEY, options);
        Lease other = ann.acquire(Key.of("other"), options);
        StoreException cause = new StoreException("this row is broken");
        ann.store.always(KEY, new Fault.Failure(cause));
        bench.advanceSeconds(11);
        assertThat(broken.state()).isEqualTo(LeaseState.LOST);
        assertThat(other.isValid()).isTrue();
        assertThat(ann.told()).doesNotContain("lock:retry");
        assertThat(ann.told(broken)).containsExactly("lock:acquired", "lock:lost", "lock:error");
        assertThat(ann.events(LeaseEvent.Lost.class)).singleElement().satisfies(lost -> {
            assertThat(lost.why()).isEqualTo("renewing cannot succeed (this row is broken)");
            assertThat(lost.error())
                    .hasMessage("The lease on report is lost: renewing cannot succeed (this row is broken)."
                            + " Stop, and acquire it again once the cause is gone.");
        });
        assertThat(ann.told(other)).containsExactly("lock:acquired", "lock:renewed");
    }

    @Test
    @DisplayName("Renewing by hand what is not ours any more tells the loss")
    void renewalByHandTellsLoss() {
        Lease lease = ann.acquire(KEY);
        bench.memory.release(ReleaseRequest.of(lease.ref()));
        assertThatThrownBy(lease::renew).isInstanceOf(LeaseLostException.class);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost");
    }

    @Test
    @DisplayName("Renewing by hand fails if the store cannot be reached, while the lease goes on")
    void renewalByHandFails() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.LostRequest());
        assertThatThrownBy(lease::renew).isInstanceOfSatisfying(LeaseException.class, error -> {
            assertThat(error.code()).isEqualTo(LeaseException.Code.RENEWAL_FAILED);
            assertThat(error.isRetryable()).isTrue();
        });
        assertThat(lease.isValid()).isTrue();
        bench.advance(TTL);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @Timeout(10)
    @DisplayName("Renewing by hand gives up on a store that does not answer")
    void renewalByHandGivesUp() throws Exception {
        Lease lease = ann.acquire(KEY);
        ann.store.always(Verb.RENEW, new Fault.NoReply());
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                lease.renew();
            } catch (RuntimeException e) {
                failure.complete(e);
            }
        });
        caller.start();
        while (ann.store.calls(Verb.RENEW) == 0) {
            Thread.onSpinWait();
        }
        bench.advance(TTL.dividedBy(6));
        assertThat(failure.get()).isInstanceOf(LeaseException.class).hasMessageContaining("did not answer");
        caller.join();
    }

    @Test
    @DisplayName("R08 Renewals by hand, without a pause and on a slow store, do not cost the other leases theirs")
    void renewalsByHandStarveNobody() {
        List<Lease> others = acquireMany(50);
        List<Lease> eager = List.of(ann.acquire(KEY), ann.acquire(Key.of("other")));
        ann.store.always(Verb.RENEW, new Fault.SlowReply(Duration.ofMillis(40)));
        for (int i = 0; i < 50 * TTL.toSeconds(); i++) {
            assertThat(eager.get(i % 2).renewAsync()).isNotCompletedExceptionally();
            bench.advance(Duration.ofMillis(20));
        }
        assertThat(others).allMatch(Lease::isValid);
        assertThat(ann.told()).doesNotContain("lock:at-risk", "lock:lost");
    }

    @Test
    @DisplayName("Renewals by hand of one lease that come while one is under way share its answer")
    void renewalsByHandAreShared() {
        Lease lease = ann.acquire(KEY);
        bench.advanceSeconds(1);
        ann.store.always(Verb.RENEW, new Fault.SlowReply(Duration.ofMillis(40)));
        List<CompletableFuture<Instant>> renewals =
                IntStream.range(0, 10).mapToObj(number -> lease.renewAsync()).toList();
        bench.advance(Duration.ofMillis(40));
        assertThat(renewals).allSatisfy(renewal -> assertThat(renewal).isCompletedWithValue(lease.expiresAt()));
        assertThat(ann.store.calls(Verb.RENEW)).isEqualTo(1);
        assertThat(lease.renewAsync()).isNotDone();
        assertThat(ann.store.calls(Verb.RENEW)).isEqualTo(2);
    }

    @Test
    @DisplayName("C05 A renewal by hand after a sleep does not wait for the answer to one from before it")
    void renewalAfterASleepIsNotShared() {
        Lease lease = ann.acquire(KEY);
        ann.store.next(Verb.RENEW, new Fault.SlowReply(Duration.ofSeconds(2)));
        ann.store.next(Verb.RENEW, new Fault.LostRequest());
        CompletableFuture<Instant> before = lease.renewAsync();
        bench.advanceSeconds(0.5);
        bench.time.suspend(Duration.ofSeconds(20));
        lease.ensure();
        assertThat(ann.store.calls(Verb.RENEW)).isEqualTo(3);
        assertThat(lease.isValid()).isTrue();
        bench.advanceSeconds(2);
        assertThat(before).isCompleted();
    }

    @Test
    @DisplayName(
            "C03 A locked record whose expiry lies in the future, because the store's clock went back, proves nothing")
    void lockedRecordFromTheFuture() {
        LockedRecords locked = new LockedRecords(bench.memory);
        Bench.Client cat = bench.client("cat", bench.time, locked);
        Lease lease = cat.acquire(KEY);
        locked.areLocked = true;
        bench.time.shiftStoreClock(Duration.ofHours(-1));
        CompletableFuture<Acquisition> call = ann.await(KEY, Duration.ofHours(2));
        bench.advance(TTL.minusSeconds(5));
        bench.time.suspend(Duration.ofSeconds(2));
        bench.advanceSeconds(4.5);
        locked.areLocked = false;
        cat.store.always(Verb.RENEW, new Fault.LostRequest());

        while (!call.isDone()) {
            bench.advance(Duration.ofMillis(10));
        }

        assertThat(call.join()).isInstanceOf(Acquisition.Acquired.class);
        assertThat(lease.isValid()).isFalse();
    }

    private List<Lease> acquireMany(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> ann.acquire(Key.of("many", Integer.toString(number))))
                .toList();
    }

    private static Tuple retry(int attempt, int millis) {
        return Tuple.tuple(attempt, Duration.ofMillis(millis));
    }

    @Test
    @DisplayName("R08 A lease whose record is locked is not told renewed, is asked for again soon, and is kept at last")
    void lockedRecord() {
        LockedRecords locked = new LockedRecords(bench.memory);
        Bench.Client cat = bench.client("cat", bench.time, locked);
        Lease lease = cat.acquire(KEY);
        locked.areLocked = true;

        bench.advance(TTL.multipliedBy(2).dividedBy(3));

        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remaining()).isLessThan(TTL.dividedBy(3));
        assertThat(cat.told()).contains("lock:retry").doesNotContain("lock:renewed");
        assertThat(cat.store.calls(Verb.RENEW)).isBetween(3, 30);
        locked.areLocked = false;
        bench.advance(TTL.dividedBy(6));
        assertThat(cat.told()).contains("lock:renewed").doesNotContain("lock:lost");
        assertThat(lease.remaining()).isGreaterThan(TTL.dividedBy(2));
    }

    @Test
    @DisplayName("R08 A lease whose record stays locked is lost by its own clock, no later than before")
    void lockedForGood() {
        LockedRecords locked = new LockedRecords(bench.memory);
        Bench.Client cat = bench.client("cat", bench.time, locked);
        Lease lease = cat.acquire(KEY);
        Duration left = lease.remaining();
        locked.areLocked = true;

        bench.advance(left.plusMillis(1));

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(cat.told()).doesNotContain("lock:renewed");
    }

    @Test
    @DisplayName("R02 renew() asks the store about a lease that never expires too, and tells if it is lost")
    void renewAsksAboutAnEndlessLease() {
        Bench.Client cat = bench.client("cat", bench.time, new EndlessLeases(bench.memory));
        Lease lease = cat.acquire(KEY);
        bench.advance(TTL);
        assertThat(cat.store.calls(Verb.RENEW)).isZero();

        assertThat(lease.renew()).isEqualTo(Instant.MAX);
        assertThat(lease.isValid()).isTrue();
        bench.advance(TTL);
        assertThat(cat.store.calls(Verb.RENEW)).isEqualTo(1);
        bench.memory.release(ReleaseRequest.of(lease.ref()));

        assertThatThrownBy(lease::renew).isInstanceOf(LeaseLostException.class);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    @Tag("part-of:LOCK-6")
    @DisplayName("A lease that never expires stays as it is if it is renewed with a TTL, also if the store is silent")
    void endlessLeaseTakesNoTtl() {
        Bench.Client cat = bench.client("cat", bench.time, new EndlessLeases(bench.memory));
        Lease lease = cat.acquire(KEY);
        assertThat(lease.renew(Duration.ofSeconds(1))).isEqualTo(Instant.MAX);
        cat.store.always(Verb.RENEW, new Fault.LostRequest());
        assertThat(lease.renewAsync(Duration.ofSeconds(1))).isCompletedExceptionally();
        bench.advanceSeconds(3);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.expiresAt()).isEqualTo(Instant.MAX);
    }

    /** A store like an operating system's lock: it says that leases have no end. */
    private static final class EndlessLeases extends ForwardingStore {
        EndlessLeases(LeaseStore store) {
            super(store);
        }

        @Override
        public AcquireResult acquire(AcquireRequest request) {
            return super.acquire(request) instanceof AcquireResult.Granted granted
                    ? new AcquireResult.Granted(
                            granted.fence(),
                            Micros.FOREVER,
                            granted.attempt(),
                            granted.predecessor(),
                            granted.checkpoint())
                    : super.acquire(request);
        }

        @Override
        public List<Renewal> renew(List<LeaseRef> leases) {
            return super.renew(leases).stream()
                    .map(renewal -> new Renewal(renewal.lease(), Micros.FOREVER))
                    .toList();
        }
    }

    /** A store whose records are locked by somebody's transaction: renewals find them, but cannot change them. */
    private static final class LockedRecords extends ForwardingStore {
        private boolean areLocked;

        LockedRecords(LeaseStore store) {
            super(store);
        }

        @Override
        public List<Renewal> renew(List<LeaseRef> leases) {
            return areLocked
                    ? leases.stream()
                            .map(lease -> Renewal.notExtended(lease, remaining(lease)))
                            .toList()
                    : super.renew(leases);
        }

        private Duration remaining(LeaseRef lease) {
            LeaseSnapshot found = store.find(lease.key()).orElseThrow();
            return Micros.toDuration(found.record().expiryMicros() - found.nowMicros());
        }
    }
}
