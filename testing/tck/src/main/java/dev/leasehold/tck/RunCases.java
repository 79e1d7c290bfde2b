package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Mismatch;
import dev.leasehold.store.AcquireResult.Settled;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseRequest.Ending;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Runs: the answer that is kept, and the attempts until there is one. */
abstract class RunCases extends WakeUpCases {
    static final Payload RESULT = Payload.of("the result");

    final SettleResult settle(LeaseRef lease, Settlement settlement) {
        return store.settle(SettleRequest.of(lease, settlement));
    }

    /** A run that is done. */
    final LeaseRef settled(Key key) {
        LeaseRef lease = take(key);
        assertThat(settle(lease, Settlement.done(RESULT, LONG))).isEqualTo(SettleResult.SETTLED);
        return lease;
    }

    static Settled settled(AcquireResult result) {
        assertThat(result).isInstanceOf(Settled.class);
        return (Settled) result;
    }

    @Test
    @DisplayName("O01 The first caller runs, and its answer is kept")
    final void answerIsKept() throws Exception {
        LeaseRef lease = settled(key());

        LeaseRecord kept = another().find(lease.key()).orElseThrow().record();

        assertThat(kept.state()).isEqualTo(State.DONE);
        assertThat(kept.progress().payload()).isEqualTo(RESULT);
        assertThat(kept.progress().attempts()).isEqualTo(1);
        assertThat(kept.ref()).isEqualTo(lease);
        assertThat(find(lease.key()).isSettled()).isTrue();
        assertThat(find(lease.key()).remaining()).isPositive().isLessThanOrEqualTo(LONG);
    }

    @Test
    @DisplayName("O02 Whoever asks later is given the answer, and nothing is written")
    final void answerIsReplayed() throws Exception {
        LeaseRef lease = settled(key());
        LeaseRecord before = record(lease.key());

        Settled replay = settled(another().acquire(ask(lease.key()).inLineFor(LONG)));

        assertThat(replay.settlement().state()).isEqualTo(State.DONE);
        assertThat(replay.settlement().payload()).isEqualTo(RESULT);
        assertThat(replay.fence()).isEqualTo(lease.fence());
        assertThat(replay.attempts()).isEqualTo(1);
        assertThat(replay.remaining()).isPositive().isLessThanOrEqualTo(LONG);
        assertThat(record(lease.key())).isEqualTo(before);
    }

    @Test
    @DisplayName("O02 The run's own call asked again is given the answer as well")
    final void ownCallIsGivenTheAnswer() {
        AcquireRequest request = ask(key());
        settle(take(request), Settlement.done(RESULT, LONG));

        assertThat(settled(store.acquire(request)).settlement().payload()).isEqualTo(RESULT);
    }

    @Test
    @DisplayName("O02 Settling again with the same answer is harmless; another answer is refused")
    final void answerStands() {
        LeaseRef lease = settled(key());
        LeaseRecord before = record(lease.key());
        Settlement other = Settlement.failed(Payload.of("another"), LONG);

        assertThat(settle(lease, Settlement.done(RESULT, LONG))).isEqualTo(SettleResult.SETTLED);
        assertThat(settle(lease, other)).isEqualTo(SettleResult.SUPERSEDED);
        assertThat(settle(lease, Settlement.done(Payload.of("another"), LONG))).isEqualTo(SettleResult.SUPERSEDED);
        assertThat(settle(lease, Settlement.checkpoint(RESULT))).isEqualTo(SettleResult.SUPERSEDED);
        assertThat(store.settle(SettleRequest.amending(lease, other))).isEqualTo(SettleResult.SUPERSEDED);
        assertThat(record(lease.key())).isEqualTo(before);
    }

    @Test
    @DisplayName("O13 How long an answer is kept can be changed, also for one without a payload")
    final void retentionCanBeChanged() throws Exception {
        for (Settlement answer : List.of(Settlement.done(RESULT, brief()), Settlement.done(null, brief()))) {
            LeaseRef lease = take(key());
            settle(lease, new Settlement(State.DONE, answer.payload(), LONG));

            assertThat(store.settle(SettleRequest.amending(lease, answer))).isEqualTo(SettleResult.SETTLED);
            elapse(brief());

            assertThat(find(lease.key()).isSettled()).isFalse();
        }
    }

    @Test
    @DisplayName("O11 A run on hold is given its answer by whoever resolves it first, and by nobody after that")
    final void runOnHoldIsResolvedOnce() {
        LeaseRef lease = take(key());
        settle(lease, Settlement.onHold(Payload.of("unknown")));
        Settlement done = Settlement.done(RESULT, LONG);
        Settlement other = Settlement.failed(Payload.of("another"), LONG);

        assertThat(settle(lease, done)).isEqualTo(SettleResult.SUPERSEDED);
        assertThat(store.settle(SettleRequest.amending(lease, done))).isEqualTo(SettleResult.SETTLED);
        assertThat(store.settle(SettleRequest.amending(lease, other))).isEqualTo(SettleResult.SUPERSEDED);
        assertThat(store.settle(SettleRequest.amending(lease, done))).isEqualTo(SettleResult.SETTLED);

        assertThat(settled(store.acquire(ask(lease.key()))).settlement().payload())
                .isEqualTo(RESULT);
    }

    @Test
    @DisplayName("O04 The same key for another request is a mismatch, while it runs and when it is answered")
    final void otherFingerprintIsAMismatch() throws Exception {
        Key key = key();
        LeaseRef lease = take(ask(key).withFingerprint("request 1"));
        LeaseRecord running = record(key);
        AcquireRequest other = ask(key).withFingerprint("Request 1").inLineFor(LONG);

        assertThat(store.acquire(other)).isEqualTo(new Mismatch(lease.fence(), State.HELD));
        assertThat(record(key)).isEqualTo(running);
        settle(lease, Settlement.done(RESULT, LONG));

        assertThat(another().acquire(other)).isEqualTo(new Mismatch(lease.fence(), State.DONE));
        settled(store.acquire(ask(key).withFingerprint("request 1")));
        settled(store.acquire(ask(key)));
    }

    @Test
    @DisplayName("O04 Whoever takes over a run must have the same request")
    final void takeoverNeedsTheSameFingerprint() throws Exception {
        Key key = key();
        LeaseRef dead = take(ask(key, brief()).withFingerprint("request 1"));
        elapse(brief());

        assertThat(store.acquire(ask(key).withFingerprint("request 1 ")))
                .isEqualTo(new Mismatch(dead.fence(), State.HELD));

        take(ask(key));
        assertThat(record(key).progress().fingerprint()).isEqualTo("request 1");
    }

    @Test
    @DisplayName("O09 A runner that was taken over cannot record its answer, before its successor's or after")
    final void staleAnswerIsRefused() throws Exception {
        Key key = key();
        LeaseRef stale = takeAndLetExpire(key);
        LeaseRef successor = take(key);
        LeaseRecord before = record(key);
        Settlement late = Settlement.done(Payload.of("late"), LONG);

        assertThat(settle(stale, late)).isEqualTo(SettleResult.SUPERSEDED);
        assertThat(settle(stale, Settlement.checkpoint(RESULT))).isEqualTo(SettleResult.SUPERSEDED);
        assertThat(record(key)).isEqualTo(before);

        settle(successor, Settlement.done(RESULT, LONG));
        assertThat(settle(stale, late)).isEqualTo(SettleResult.SUPERSEDED);
        assertThat(store.settle(SettleRequest.amending(stale, late))).isEqualTo(SettleResult.SUPERSEDED);
        assertThat(record(key).progress().payload()).isEqualTo(RESULT);
    }

    @Test
    @DisplayName("O09 A runner whose lease ran out and was not taken can still record its answer")
    final void lateAnswerOfTheLastRunnerCounts() throws Exception {
        LeaseRef lease = takeAndLetExpire(key());

        assertThat(settle(lease, Settlement.done(RESULT, LONG))).isEqualTo(SettleResult.SETTLED);
    }

    @Test
    @DisplayName("O10 A runner that was taken over and fails leaves its successor's record alone")
    final void staleFailureIsRefused() throws Exception {
        Key key = key();
        LeaseRef stale = takeAndLetExpire(key);
        take(key);
        LeaseRecord before = record(key);

        assertThat(settle(stale, Settlement.failed(RESULT, LONG))).isEqualTo(SettleResult.SUPERSEDED);
        for (Ending ending : Ending.values()) {
            assertThat(store.release(ReleaseRequest.of(stale).withEnding(ending)))
                    .isEqualTo(ReleaseResult.NOT_HELD);
        }

        assertThat(record(key)).isEqualTo(before);
    }

    @Test
    @DisplayName("O11 A failure for good is replayed as a failure")
    final void failureIsReplayed() {
        LeaseRef lease = take(key());
        settle(lease, Settlement.failed(Payload.of("why"), LONG));

        Settled replay = settled(store.acquire(ask(lease.key())));

        assertThat(replay.settlement().state()).isEqualTo(State.FAILED);
        assertThat(replay.settlement().payload()).isEqualTo(Payload.of("why"));
    }

    @Test
    @DisplayName("O12 Attempts are counted through takeovers and failures that may be tried again")
    final void attemptsAreCounted() throws Exception {
        LeaseRef first = takeAndLetExpire(key());
        AcquireRequest second = ask(first.key());
        assertThat(granted(store.acquire(second)).attempt()).isEqualTo(2);

        LeaseRef lease =
                new LeaseRef(first.key(), second.nonce(), record(first.key()).fence());
        store.release(ReleaseRequest.of(lease).withEnding(Ending.KEEP_ATTEMPTS));

        Granted third = granted(store.acquire(ask(first.key())));
        assertThat(third.attempt()).isEqualTo(3);
        assertThat(third.predecessor()).isNull();
        assertThat(record(first.key()).progress().attempts()).isEqualTo(3);
    }

    @Test
    @DisplayName("O12 A hand-over to a waiter that died is no attempt, and the waiter is no predecessor")
    final void unconfirmedHandOverIsNoAttempt() throws Exception {
        Key key = key();
        handOverTo(key);
        elapse(LeaseRules.HAND_OVER);

        Granted next = granted(store.acquire(ask(key)));

        assertThat(next.attempt()).isEqualTo(2);
        assertThat(next.predecessor()).isNull();
        assertThat(record(key).progress().attempts()).isEqualTo(2);
    }

    @Test
    @DisplayName("O12 A hand-over to a waiter that gives up at that moment is no attempt")
    final void withdrawnHandOverIsNoAttempt() throws Exception {
        Key key = key();
        AcquireRequest waiter = handOverTo(key);

        store.release(ReleaseRequest.withdrawing(key, waiter.nonce()).withEnding(Ending.KEEP_ATTEMPTS));

        assertThat(record(key).progress().attempts()).isEqualTo(1);
        assertThat(granted(store.acquire(ask(key))).attempt()).isEqualTo(2);
    }

    @Test
    @DisplayName("O12 A hand-over is an attempt from the first request of its holder on, whichever that is")
    final void confirmedHandOverIsAnAttempt() throws Exception {
        Key asked = key();
        AcquireRequest again = handOverTo(asked);
        assertThat(granted(store.acquire(again)).attempt()).isEqualTo(2);
        Key renewed = key();
        handOverTo(renewed);
        assertThat(store.renew(List.of(holder(renewed)))).hasSize(1);
        Key kept = key();
        handOverTo(kept);
        settle(holder(kept), Settlement.checkpoint(RESULT));

        for (Key key : List.of(asked, renewed, kept)) {
            store.release(ReleaseRequest.of(holder(key)).withEnding(Ending.KEEP_ATTEMPTS));
            assertThat(granted(store.acquire(ask(key))).attempt()).isEqualTo(3);
        }
    }

    @Test
    @DisplayName("O12 A holder that confirmed its hand-over and went silent made an attempt, and is the predecessor")
    final void silentHolderOfAHandOverMadeAnAttempt() throws Exception {
        Key key = key();
        LeaseRef first = take(key);
        AcquireRequest waiter = ask(key, brief()).inLineFor(LONG);
        held(store.acquire(waiter));
        store.release(ReleaseRequest.of(first).withEnding(Ending.KEEP_ATTEMPTS));
        Granted confirmed = granted(store.acquire(waiter));
        elapse(brief());

        Granted next = granted(store.acquire(ask(key)));

        assertThat(next.attempt()).isEqualTo(3);
        assertThat(next.predecessor()).isEqualTo(new Predecessor(waiter.owner(), confirmed.fence()));
    }

    /** An attempt ends in a way that lets the next be made, and the lease goes to this waiter. */
    private AcquireRequest handOverTo(Key key) {
        LeaseRef first = take(key);
        AcquireRequest waiter = ask(key).inLineFor(LONG);
        held(store.acquire(waiter));
        store.release(ReleaseRequest.of(first).withEnding(Ending.KEEP_ATTEMPTS));
        assertThat(holder(key).nonce()).isEqualTo(waiter.nonce());
        return waiter;
    }

    @Test
    @DisplayName("O12 A release that wipes the record begins the count anew")
    final void wipedRecordCountsAnew() throws Exception {
        Key key = takeAndLetExpire(key()).key();
        LeaseRef second = take(ask(key).withFingerprint("request 1"));
        settle(second, Settlement.checkpoint(RESULT));

        release(second);

        Granted grant = granted(store.acquire(ask(key).withFingerprint("request 2")));
        assertThat(grant.attempt()).isEqualTo(1);
        assertThat(grant.checkpoint()).isNull();
    }

    @Test
    @DisplayName("O13 When its retention is over, an answer is forgotten and the key runs again, for any request")
    final void answerIsForgotten() throws Exception {
        Key key = key();
        LeaseRef first = take(ask(key).withFingerprint("request 1"));
        settle(first, Settlement.done(RESULT, brief()));
        elapse(brief());
        assertThat(find(key).isSettled()).isFalse();

        Granted again = granted(store.acquire(ask(key).withFingerprint("request 2")));

        assertThat(again.fence()).isGreaterThan(first.fence());
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(again.predecessor()).isNull();
        assertThat(again.checkpoint()).isNull();
    }

    @Test
    @DisplayName("O15 What has no end never becomes an orphan: a run on hold waits for a person")
    final void runOnHoldWaits() throws Exception {
        LeaseRef lease = take(key());
        settle(lease, Settlement.onHold(Payload.of("unknown")));
        LeaseRef longest = take(ask(key(), AcquireRequest.MAX_TTL));
        elapse(isTimeReal() ? brief() : Duration.ofDays(365));

        store.purge(Duration.ZERO, Integer.MAX_VALUE);

        assertThat(settled(store.acquire(ask(lease.key()))).settlement().state())
                .isEqualTo(State.HOLD);
        held(store.acquire(ask(longest.key())));
    }

    @Test
    @DisplayName("O18 The reply to the beginning of a run was lost: asked again, it is the same attempt")
    final void lostReplyIsNotAnAttempt() throws Exception {
        Key key = takeAndLetExpire(key()).key();
        AcquireRequest second = ask(key);
        Granted unheard = granted(store.acquire(second));

        assertThat(granted(store.acquire(second)).attempt()).isEqualTo(unheard.attempt());
        assertThat(record(key).progress().attempts()).isEqualTo(2);
    }
}
