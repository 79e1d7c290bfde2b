package dev.leasehold.tck.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.AcquireResult.Settled;
import dev.leasehold.store.AcquireResult.Spent;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.Progress;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import dev.leasehold.tck.concurrency.Recorded.Look;
import dev.leasehold.tck.concurrency.Recorded.NewTtl;
import dev.leasehold.tck.history.Linearizability;
import dev.leasehold.tck.history.Linearizability.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Histories made by hand. Times are milliseconds since the start; the store's clock shows START then. */
@DisplayName("A history of calls")
class IntervalRulesTest {
    private static final long START = 1_767_225_600_000_000L;
    private static final Key KEY = Key.of("key");
    private static final Nonce A = new Nonce(1, 1);
    private static final Nonce B = new Nonce(2, 2);
    private static final Nonce C = new Nonce(3, 3);
    private static final Duration TTL = Duration.ofMillis(50);

    private static Recorded call(long from, long to, Object request, @Nullable Object answer) {
        long returned = answer == null ? Long.MAX_VALUE : to * 1_000_000;
        Span now = new Span(START + from * 1_000, START + to * 1_000);
        return new Recorded("test", request, answer, from * 1_000_000, returned, now);
    }

    private static boolean isLinearizable(Recorded... calls) {
        return Linearizability.check(
                new IntervalRules(Possible.NOTHING, 1, List.of(calls)),
                Stream.of(calls)
                        .map(call -> new Operation<>(call.called(), call.returned(), call))
                        .toList());
    }

    private static Owner owner(Nonce nonce) {
        return Owner.of(nonce.name());
    }

    private static AcquireRequest ask(Nonce nonce) {
        return AcquireRequest.of(KEY, nonce, owner(nonce), TTL);
    }

    private static AcquireRequest wait(Nonce nonce) {
        return ask(nonce).inLineFor(Duration.ofSeconds(10));
    }

    /** The fence of a grant at this time. */
    private static Fence at(long millis) {
        return Fence.of(START + millis * 1_000);
    }

    private static Granted granted(long millis, int attempt, @Nullable Predecessor predecessor) {
        return new Granted(at(millis), TTL, attempt, predecessor, null);
    }

    private static Granted granted(long millis) {
        return granted(millis, 1, null);
    }

    private static Held held(Nonce by, long fence, long remaining, boolean inLine) {
        return new Held(owner(by), at(fence), Duration.ofMillis(remaining), TTL, Duration.ZERO, inLine);
    }

    private static Predecessor from(Nonce nonce, long fence) {
        return new Predecessor(owner(nonce), at(fence));
    }

    private static LeaseRef lease(Nonce nonce, long fence) {
        return new LeaseRef(KEY, nonce, at(fence));
    }

    private static Optional<LeaseSnapshot> record(
            State state, @Nullable Nonce holder, long fence, @Nullable Nonce last, int attempts) {
        Tenure tenure = holder == null ? null : new Tenure(holder, owner(holder), TTL.toNanos() / 1_000, 0);
        LeaseRecord record = new LeaseRecord(
                KEY,
                at(fence),
                state,
                tenure,
                last,
                at(fence).value() + TTL.toNanos() / 1_000,
                0,
                new Progress(attempts, true, null, null, null),
                List.of());
        return Optional.of(new LeaseSnapshot(record, at(fence).value()));
    }

    private static final Recorded A_GRANTED = call(0, 1, ask(A), granted(0));

    @Test
    @DisplayName("in which one caller is granted and another refused can be")
    void refusal() {
        assertThat(isLinearizable(A_GRANTED, call(2, 3, ask(B), held(A, 0, 48, false))))
                .isTrue();
        assertThat(isLinearizable(A_GRANTED, call(2, 3, ask(B), held(A, 0, 30, false))))
                .as("with a remaining life that cannot be")
                .isFalse();
    }

    @Test
    @DisplayName("in which two callers are granted cannot be, unless the first lease may have expired")
    void twoHolders() {
        assertThat(isLinearizable(A_GRANTED, call(2, 3, ask(B), granted(2, 2, from(A, 0)))))
                .isFalse();
        assertThat(isLinearizable(A_GRANTED, call(45, 55, ask(B), granted(51, 2, from(A, 0)))))
                .isTrue();
        assertThat(isLinearizable(A_GRANTED, call(40, 49, ask(B), granted(48, 2, from(A, 0)))))
                .isFalse();
    }

    @Test
    @DisplayName("in which a lock delay is not kept cannot be")
    void lockDelay() {
        AcquireRequest delayed = ask(B).withLockDelay(Duration.ofMillis(30));

        assertThat(isLinearizable(A_GRANTED, call(60, 70, delayed, granted(65, 2, from(A, 0)))))
                .isFalse();
        assertThat(isLinearizable(A_GRANTED, call(75, 85, delayed, granted(82, 2, from(A, 0)))))
                .isTrue();
        assertThat(isLinearizable(A_GRANTED, call(60, 70, delayed, held(A, 0, 0, false))))
                .isTrue();
    }

    @Test
    @DisplayName("in which a caller is told its old lease after a rival took it over cannot be")
    void staleSnapshot() {
        Recorded rival = call(51, 60, ask(B), granted(52, 2, from(A, 0)));

        assertThat(isLinearizable(A_GRANTED, rival, call(53, 62, ask(A), granted(0))))
                .isFalse();
        assertThat(isLinearizable(A_GRANTED, rival, call(53, 62, ask(A), held(B, 52, 45, false))))
                .isTrue();
        assertThat(isLinearizable(A_GRANTED, call(40, 44, ask(A), granted(0)))).isTrue();
    }

    @Test
    @DisplayName("in which a fence goes back cannot be")
    void fences() {
        Recorded released = call(2, 3, ReleaseRequest.of(lease(A, 0)), ReleaseResult.RELEASED);

        assertThat(isLinearizable(A_GRANTED, released, call(4, 5, ask(B), granted(4))))
                .isTrue();
        assertThat(isLinearizable(A_GRANTED, released, call(4, 5, ask(B), granted(0))))
                .isFalse();
        assertThat(isLinearizable(A_GRANTED, released, call(4, 5, ask(A), new Spent())))
                .isTrue();
        assertThat(isLinearizable(A_GRANTED, released, call(4, 5, ask(A), granted(4))))
                .isFalse();
    }

    @Test
    @DisplayName("in which a caller that withdrew holds the key cannot be")
    void withdrawal() {
        Recorded waiting = call(2, 3, wait(B), held(A, 0, 48, true));
        Recorded released = call(4, 8, ReleaseRequest.of(lease(A, 0)), ReleaseResult.RELEASED);
        Recorded gone = call(5, 9, ReleaseRequest.withdrawing(KEY, B), ReleaseResult.NOT_HELD);
        Recorded ended = call(5, 9, ReleaseRequest.withdrawing(KEY, B), ReleaseResult.RELEASED);
        Recorded heldByB = call(10, 11, new Look(KEY, false), record(State.HELD, B, 5, A, 1));
        Recorded freeAfterA = call(10, 11, new Look(KEY, false), record(State.FREE, null, 0, A, 0));
        Recorded freeAfterB = call(10, 11, new Look(KEY, false), record(State.FREE, null, 5, B, 0));

        assertThat(isLinearizable(A_GRANTED, waiting, released, gone, heldByB)).isFalse();
        assertThat(isLinearizable(A_GRANTED, waiting, released, heldByB)).isTrue();
        assertThat(isLinearizable(A_GRANTED, waiting, released, gone, freeAfterA))
                .isTrue();
        assertThat(isLinearizable(A_GRANTED, waiting, released, ended, freeAfterB))
                .isTrue();
    }

    @Test
    @DisplayName("in which a release leaves the key free although a caller stands in line cannot be")
    void missedHandOver() {
        Recorded waiting = call(2, 3, wait(B), held(A, 0, 48, true));
        Recorded released = call(4, 5, ReleaseRequest.of(lease(A, 0)), ReleaseResult.RELEASED);
        Recorded free = call(6, 7, new Look(KEY, false), record(State.FREE, null, 0, A, 0));

        assertThat(isLinearizable(A_GRANTED, released, free)).isTrue();
        assertThat(isLinearizable(A_GRANTED, waiting, released, free)).isFalse();
        assertThat(isLinearizable(A_GRANTED, waiting, released, call(8, 9, wait(B), granted(5))))
                .isTrue();
    }

    @Test
    @DisplayName("in which a place in line has lapsed may hand over to it or not")
    void lapsedPlace() {
        Recorded waiting = call(2, 3, ask(B).inLineFor(Duration.ofMillis(20)), held(A, 0, 48, true));
        Recorded early = call(10, 11, ReleaseRequest.of(lease(A, 0)), ReleaseResult.RELEASED);
        Recorded unsure = call(20, 25, ReleaseRequest.of(lease(A, 0)), ReleaseResult.RELEASED);
        Recorded late = call(30, 31, ReleaseRequest.of(lease(A, 0)), ReleaseResult.RELEASED);
        Recorded free = call(32, 33, new Look(KEY, false), record(State.FREE, null, 0, A, 0));
        Recorded handedOver = call(32, 33, new Look(KEY, false), record(State.HELD, B, 22, A, 1));

        assertThat(isLinearizable(A_GRANTED, waiting, early, free)).isFalse();
        assertThat(isLinearizable(A_GRANTED, waiting, unsure, free)).isTrue();
        assertThat(isLinearizable(A_GRANTED, waiting, unsure, handedOver)).isTrue();
        assertThat(isLinearizable(A_GRANTED, waiting, late, free)).isTrue();
    }

    @Test
    @DisplayName("in which a renewal does not count cannot be")
    void renewal() {
        LeaseRef lease = lease(A, 0);
        Recorded renewed = call(40, 41, lease, Optional.of(new Renewal(lease, TTL)));
        Recorded kept = call(40, 41, lease, Optional.of(new Renewal(lease, Duration.ofMillis(10))));
        Recorded takenOver = call(60, 61, ask(B), granted(60, 2, from(A, 0)));

        assertThat(isLinearizable(A_GRANTED, renewed, takenOver)).isFalse();
        assertThat(isLinearizable(A_GRANTED, kept, takenOver)).as("met a lock").isTrue();
        assertThat(isLinearizable(A_GRANTED, takenOver, call(62, 63, lease, Optional.empty())))
                .isTrue();
        assertThat(isLinearizable(A_GRANTED, takenOver, call(62, 63, lease, Optional.of(new Renewal(lease, TTL)))))
                .isFalse();
    }

    private static Recorded renewedFor(long from, Duration ttl) {
        LeaseRef lease = lease(A, 0);
        return call(from, from + 1, new NewTtl(lease, ttl), Optional.of(new Renewal(lease, ttl)));
    }

    @Test
    @DisplayName("in which a renewal with another TTL does not count, also for later renewals, cannot be")
    void renewalWithTtl() {
        Duration shorter = Duration.ofMillis(20);
        Duration longer = Duration.ofMillis(200);
        LeaseRef lease = lease(A, 0);

        assertThat(isLinearizable(A_GRANTED, renewedFor(10, shorter), call(35, 36, ask(B), granted(35, 2, from(A, 0)))))
                .isTrue();
        assertThat(isLinearizable(A_GRANTED, renewedFor(10, longer), call(60, 61, ask(B), granted(60, 2, from(A, 0)))))
                .isFalse();
        assertThat(isLinearizable(
                        A_GRANTED,
                        renewedFor(10, longer),
                        call(40, 41, lease, Optional.of(new Renewal(lease, longer)))))
                .isTrue();
        assertThat(isLinearizable(
                        A_GRANTED, renewedFor(10, longer), call(40, 41, lease, Optional.of(new Renewal(lease, TTL)))))
                .isFalse();
        assertThat(isLinearizable(
                        A_GRANTED,
                        call(
                                10,
                                11,
                                new NewTtl(lease, longer),
                                Optional.of(Renewal.notExtended(lease, Duration.ofMillis(40)))),
                        call(60, 61, ask(B), granted(60, 2, from(A, 0)))))
                .as("met a lock")
                .isTrue();
        assertThat(isLinearizable(A_GRANTED, call(60, 61, ask(B), granted(60, 2, from(A, 0))), renewedFor(62, longer)))
                .as("was taken over")
                .isFalse();
    }

    @Test
    @DisplayName("in which a renewal with another TTL changes it, and then finds the lease released, can be")
    void vainRenewalWithTtl() {
        Duration shorter = Duration.ofMillis(20);
        LeaseRef lease = lease(A, 0);
        Recorded renewed = call(30, 39, new NewTtl(lease, shorter), Optional.empty());
        Recorded seen =
                call(33, 34, ask(B), new Held(owner(A), at(0), Duration.ofMillis(18), shorter, Duration.ZERO, false));
        Recorded released = call(35, 37, ReleaseRequest.of(lease), ReleaseResult.RELEASED);

        assertThat(isLinearizable(A_GRANTED, renewed, seen, released)).isTrue();
        assertThat(isLinearizable(A_GRANTED, seen, released)).isFalse();
    }

    @Test
    @DisplayName("in which a renewal tells the TTL that another renewal has given the lease meanwhile, can be")
    void renewalThatTellsALaterTtl() {
        Duration shorter = Duration.ofMillis(20);
        LeaseRef lease = lease(A, 0);
        Recorded renewed = call(30, 39, lease, Optional.of(new Renewal(lease, shorter)));
        Recorded seen = call(33, 34, ask(B), held(A, 0, 48, false));

        assertThat(isLinearizable(A_GRANTED, renewed, seen, renewedFor(36, shorter)))
                .isTrue();
        assertThat(isLinearizable(A_GRANTED, renewed, seen, renewedFor(42, shorter)))
                .as("was given it later")
                .isFalse();
    }

    @Test
    @DisplayName("in which a renewal extends a lease, and then finds it released, can be")
    void vainRenewal() {
        LeaseRef lease = lease(A, 0);
        Recorded renewed = call(30, 39, lease, Optional.empty());
        Recorded seen = call(33, 34, ask(B), held(A, 0, 48, false));
        Recorded released = call(35, 37, ReleaseRequest.of(lease), ReleaseResult.RELEASED);

        assertThat(isLinearizable(A_GRANTED, renewed, seen, released)).isTrue();
        assertThat(isLinearizable(A_GRANTED, seen, released)).isFalse();
        assertThat(isLinearizable(A_GRANTED, renewed, seen))
                .as("was not released")
                .isFalse();
    }

    @Test
    @DisplayName("in which a caller is granted a lease, and then finds it ended by its own nonce, can be")
    void vainGrant() {
        Recorded asked = call(0, 10, ask(A), new Spent());
        Recorded seen =
                call(2, 3, ask(B), new Held(owner(A), at(1), Duration.ofMillis(49), TTL, Duration.ofMillis(1), false));
        Recorded withdrawn = call(4, 8, ReleaseRequest.withdrawing(KEY, A), ReleaseResult.RELEASED);

        assertThat(isLinearizable(asked, seen, withdrawn)).isTrue();
        assertThat(isLinearizable(asked, seen)).as("was not ended").isFalse();
    }

    @Test
    @DisplayName("in which a caller is told an answer cannot hand the key to it afterwards")
    void placeOfOneThatWasAnswered() {
        Recorded waiting = call(2, 3, wait(B), held(A, 0, 48, true));
        Recorded settled = call(
                4, 5, SettleRequest.of(lease(A, 0), Settlement.done(null, Duration.ofMillis(5))), SettleResult.SETTLED);
        Recorded told = call(
                6,
                7,
                wait(B),
                new Settled(Settlement.done(null, Duration.ofMillis(3)), at(0), 1, Duration.ofMillis(3)));
        Recorded next = call(20, 21, ask(C), granted(20));
        Recorded released = call(22, 23, ReleaseRequest.of(lease(C, 20)), ReleaseResult.RELEASED);
        Recorded handedOver = call(24, 25, new Look(KEY, false), record(State.HELD, B, 22, C, 1));

        assertThat(isLinearizable(A_GRANTED, waiting, settled, next, released, handedOver))
                .as("it is still waiting")
                .isTrue();
        assertThat(isLinearizable(A_GRANTED, waiting, settled, told, next, released, handedOver))
                .isFalse();
        Recorded underWay = call(
                4,
                30,
                SettleRequest.of(lease(A, 0), Settlement.done(null, Duration.ofMillis(5))),
                SettleResult.SETTLED);
        assertThat(isLinearizable(A_GRANTED, waiting, underWay, told, next, released, handedOver))
                .as("the settlement has not cleared the line yet")
                .isTrue();
    }

    @Test
    @DisplayName("in which a call has no answer may have its effect late, or not at all, but not early")
    void unknownOutcome() {
        Recorded unknown = call(2, 3, ReleaseRequest.of(lease(A, 0)), null);
        Recorded later = call(8, 9, ReleaseRequest.of(lease(A, 0)), null);
        Recorded next = call(4, 5, ask(B), granted(4));

        assertThat(isLinearizable(A_GRANTED, unknown, next)).isTrue();
        assertThat(isLinearizable(A_GRANTED, unknown, call(4, 5, ask(B), held(A, 0, 46, false))))
                .isTrue();
        assertThat(isLinearizable(A_GRANTED, later, next)).isFalse();
    }
}
