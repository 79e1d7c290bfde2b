package dev.leasehold.lease;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreRefusedException;
import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Giving leases back. A few tries at once, so that a lost reply costs nobody anything; then a warning, and further tries
 * in the background. If no try succeeds, the lease expires. A lease that never expires is released again and again until
 * the store answers.
 */
final class Endings {
    private static final int PROMPT_TRIES = 3;

    /**
     * How many endings are kept for the next caller of their key, the oldest going first, and for how long if their TTL
     * is not known. Nothing depends on them: they spare that caller a wait for what ends by its TTL anyway.
     */
    private static final int MOST_UNFINISHED = 10_000;

    private static final Duration KEPT_WITHOUT_TTL = Duration.ofMinutes(10);

    private final LeaseEngine engine;
    private final Set<Ending> underWay = new HashSet<>();
    private final Map<Key, Ending> unfinished = new LinkedHashMap<>();

    Endings(LeaseEngine engine) {
        this.engine = engine;
    }

    /**
     * An ask that counts as failed if it is not answered in time, and whose answer counts once. What the store says after
     * that time is passed on as late.
     */
    private abstract class LimitedAsk<T> extends Ask<T> {
        private final Agenda.Item limit;
        private boolean isOver;
        private boolean isOverdue;

        LimitedAsk(Moment sent, Duration longest) {
            super(sent);
            this.limit = new Agenda.Item() {
                @Override
                void due(Moment now) {
                    isOverdue = true;
                    failed(new StoreUnavailableException("no answer within " + longest.toMillis() + " ms"), now);
                }

                @Override
                boolean isAwaited() {
                    return true;
                }
            };
            engine.agenda.put(limit, sent.nanos() + longest.toNanos());
        }

        abstract void succeed(T result, Moment now);

        abstract void fail(Throwable cause, Moment now);

        /** The answer came after all; null if the store failed. */
        abstract void late(@Nullable T result, Moment now);

        @Override
        final void answered(T result, Moment now) {
            if (isFirst()) {
                succeed(result, now);
            } else if (isOverdue) {
                isOverdue = false;
                late(result, now);
            }
        }

        @Override
        final void failed(Throwable cause, Moment now) {
            if (isFirst()) {
                fail(cause, now);
            } else if (isOverdue) {
                isOverdue = false;
                late(null, now);
            }
        }

        /** Returns whether the store may still answer. */
        final boolean isOverdue() {
            return isOverdue;
        }

        private boolean isFirst() {
            boolean isFirst = !isOver;
            isOver = true;
            engine.agenda.remove(limit);
            return isFirst;
        }
    }

    private static Duration limit(@Nullable Lease lease) {
        if (lease == null) {
            return LeaseOptions.DEFAULT_ATTEMPT_LIMIT;
        }
        Duration sixth = Duration.ofNanos(lease.ttls.largest()).dividedBy(6);
        Duration longest = lease.options.attemptLimit();
        return sixth.compareTo(longest) < 0 ? sixth : longest;
    }

    /** One release, until it is answered or given up. */
    private final class Ending extends Agenda.Item {
        private final ReleaseRequest request;
        private final @Nullable Lease lease;
        private final CompletableFuture<ReleaseOutcome> result;
        private final List<Consumer<Moment>> onward = new ArrayList<>();
        private int tries;
        /** The tries that the store may still answer, although they count as failed. */
        private int overdue;
        /** True if a later try was told that the lease is not its holder's: an overdue one may have given it back. */
        private boolean isRefused;
        /** The tries that the store has not answered: each of them may have given the lease back. */
        private int unanswered;
        /** True if the lease was valid when the first try was sent. */
        private boolean wasValid;

        private boolean isOver;
        /** Whether its result is given, although listeners may have to hear of it before its caller does. */
        private boolean isAnswered;

        private boolean isToBeTriedAgain;
        /** How long the client keeps it: until the lease has expired in the store. */
        private final long keptNanos;
        /** True if the lease never expires: the client retries every {@code keptNanos} until the store answers. */
        private final boolean isKeptForEver;
        /** When the client stops trying. */
        private long mootAt = NEVER;

        Ending(ReleaseRequest request, @Nullable Lease lease, CompletableFuture<ReleaseOutcome> result) {
            this(request, lease, result, lease);
        }

        /** @param ended the lease that the request ends, although nothing is told of it; null if there is none */
        Ending(
                ReleaseRequest request,
                @Nullable Lease lease,
                CompletableFuture<ReleaseOutcome> result,
                @Nullable Lease ended) {
            this.request = request;
            this.lease = lease;
            this.result = result;
            this.keptNanos = ended == null ? KEPT_WITHOUT_TTL.toNanos() : ended.ttls.largest();
            this.isKeptForEver = ended != null && ended.neverExpires();
        }

        /** Gives the result, unless an earlier one is on its way to the caller. */
        void answer(ReleaseOutcome outcome) {
            if (!isAnswered) {
                isAnswered = true;
                engine.outbox().afterwards(() -> result.complete(outcome));
            }
        }

        @Override
        void due(Moment now) {
            if (isRefused) {
                ended(this, ReleaseResult.NOT_HELD, now);
            } else if (now.nanos() >= mootAt) {
                drop(this);
            } else {
                send(this, now);
            }
        }

        @Override
        boolean isAwaited() {
            return isRefused;
        }
    }

    /** A request to release or withdraw. */
    private final class EndAsk extends LimitedAsk<ReleaseResult> {
        private final Ending ending;

        EndAsk(Ending ending, Moment sent) {
            super(sent, limit(ending.lease));
            this.ending = ending;
        }

        @Override
        Object subject() {
            return ending.lease == null ? this : ending.lease;
        }

        @Override
        ReleaseResult perform(LeaseStore store) {
            return store.release(ending.request);
        }

        @Override
        void succeed(ReleaseResult result, Moment now) {
            boolean isAwaited = ending.lease != null && !ending.lease.isToldEnded;
            if (result == ReleaseResult.NOT_HELD && ending.overdue > 0 && isAwaited) {
                ending.isRefused = true;
                engine.agenda.put(ending, now.nanos() + limit(ending.lease).toNanos());
            } else {
                ended(ending, result, now);
            }
        }

        @Override
        void fail(Throwable cause, Moment now) {
            if (isOverdue()) {
                ending.overdue++;
            }
            if (mayPass(cause)) {
                ending.unanswered++;
            }
            failedToEnd(ending, cause, now);
        }

        @Override
        void late(@Nullable ReleaseResult result, Moment now) {
            ending.overdue--;
            if (result != null) {
                ending.unanswered--;
            }
            if (result == ReleaseResult.RELEASED) {
                ended(ending, result, now);
            } else if (ending.isRefused && ending.overdue == 0) {
                ended(ending, ReleaseResult.NOT_HELD, now);
            }
        }
    }

    /** Ends a lease by its holder's wish. */
    void release(Lease lease, ReleaseRequest request, CompletableFuture<ReleaseOutcome> result, Moment now) {
        if (now.nanos() >= lease.validity.deadline()) {
            engine.renewals.lose(lease, "its time ran out before it was released", now);
        }
        LeaseState state = lease.validity.state();
        if (state == LeaseState.LOST && lease.isScoped && !lease.isToldEnded) {
            endScope(lease, request, result, now);
            return;
        }
        if (state.isFinal()) {
            if (lease.mayBeOurs) {
                lease.mayBeOurs = false;
                // The work is over: the others need not wait for the expiry.
                send(new Ending(request, null, new CompletableFuture<>(), lease), now);
            }
            ReleaseOutcome outcome = outcomeOf(lease);
            engine.outbox().afterwards(() -> result.complete(outcome));
            return;
        }
        Ending ending = new Ending(request, lease, result);
        ending.wasValid = lease.isValidAt(now);
        engine.renewals.end(lease, LeaseState.RELEASED);
        send(ending, now);
    }

    /**
     * Ends the scope of a lost lease: the work is over. A record that another holder has is not changed by the request. An
     * abandoned lease is left to its TTL, and so is a run, so that the holder that takes over sees from which one.
     */
    private void endScope(Lease lease, ReleaseRequest request, CompletableFuture<ReleaseOutcome> result, Moment now) {
        lease.mayBeOurs = false;
        Ending ending = new Ending(request, lease, result);
        if (lease.isAbandoned) {
            tellLeft(ending, lease, "its holder abandoned it", now);
        } else if (lease.options.isRun()) {
            tellLeft(ending, lease, "it is left to the holder that takes over", now);
        } else {
            send(ending, now);
        }
    }

    /** Ends a lease that its client wants no more. */
    void giveUp(Lease lease, Moment now) {
        release(
                lease,
                ReleaseRequest.of(lease.ref()).withEnding(lease.options.ending()),
                new CompletableFuture<>(),
                now);
    }

    /** Ends whatever the request names, with nobody waiting for the outcome. */
    void quietly(ReleaseRequest request, Moment now) {
        send(new Ending(request, null, new CompletableFuture<>()), now);
    }

    /**
     * Gives an earlier lease of this key another chance to be given back, before it is acquired anew.
     *
     * @return whether there is one; if so, the caller goes on when that is answered or fails
     */
    boolean cleanUp(Key key, Moment now, Consumer<Moment> onward) {
        Ending ending = unfinished.get(key);
        if (ending == null) {
            return false;
        }
        ending.onward.add(onward);
        if (!underWay.contains(ending)) {
            send(ending, now);
        }
        return true;
    }

    /** Whether the store was asked to end something and has not answered yet, or is to be asked again. */
    boolean areUnderWay() {
        return !underWay.isEmpty() || unfinished.values().stream().anyMatch(ending -> ending.isToBeTriedAgain);
    }

    private void send(Ending ending, Moment now) {
        ending.tries++;
        underWay.add(ending);
        engine.agenda.remove(ending);
        engine.outbox().send(new EndAsk(ending, now));
    }

    private void ended(Ending ending, ReleaseResult result, Moment now) {
        ending.isOver = true;
        underWay.remove(ending);
        engine.agenda.remove(ending);
        unfinished.remove(ending.request.key(), ending);
        tellEnded(ending, result, now);
        goOn(ending, now);
    }

    private void tellEnded(Ending ending, ReleaseResult result, Moment now) {
        Lease lease = ending.lease;
        if (lease == null) {
            return;
        }
        if (lease.isToldEnded) {
            lease.isEndUnknown &= result != ReleaseResult.RELEASED;
            tellAgain(ending, lease);
            return;
        }
        if (result == ReleaseResult.NOT_HELD && ending.wasValid && ending.unanswered > 0) {
            tellNotEnded(ending, new IllegalStateException("a try that was not answered may have given it back"), now);
            return;
        }
        lease.isToldEnded = true;
        boolean wasLost = lease.validity.state() == LeaseState.LOST;
        boolean isReleased = result == ReleaseResult.RELEASED;
        if (!isReleased && !wasLost) {
            engine.renewals.end(lease, LeaseState.LOST);
            engine.outbox()
                    .tell(engine.renewals.lostToAnother(lease, "another holder had it when it was released", now));
        }
        if (isReleased || lease.isScoped) {
            engine.outbox().tell(new LeaseEvent.Released(engine.renewals.source(lease, now)));
        }
        ReleaseOutcome outcome = isReleased && !wasLost ? ReleaseOutcome.RELEASED : ReleaseOutcome.LOST;
        ending.answer(outcome);
    }

    /**
     * The events of the lease are over. A release that was called beside the one that ended them is answered all the same;
     * one that was answered before keeps its answer.
     */
    private void tellAgain(Ending ending, Lease lease) {
        ending.answer(outcomeOf(lease));
    }

    private static ReleaseOutcome outcomeOf(Lease ended) {
        boolean isLost = ended.validity.state() == LeaseState.LOST || ended.isTakenAway;
        ReleaseOutcome released = ended.isEndUnknown ? ReleaseOutcome.UNKNOWN : ReleaseOutcome.RELEASED;
        return isLost ? ReleaseOutcome.LOST : released;
    }

    private void failedToEnd(Ending ending, Throwable cause, Moment now) {
        if (ending.isOver) {
            return;
        }
        underWay.remove(ending);
        Lease lease = ending.lease;
        if (ending.tries < PROMPT_TRIES && ending.onward.isEmpty()) {
            send(ending, now);
            return;
        }
        keep(ending, now);
        tellNotEnded(ending, cause, now);
        RetryPolicy policy = lease == null ? RetryPolicy.DEFAULT : lease.options.retry();
        int later = ending.tries - PROMPT_TRIES + 1;
        ending.isToBeTriedAgain = later < policy.maxAttempts();
        long soon = policy.delayAfter(later).toNanos();
        long delay = ending.isToBeTriedAgain ? soon : Math.max(soon, ending.keptNanos);
        long next = ending.isToBeTriedAgain || ending.isKeptForEver ? now.nanos() + delay : ending.mootAt;
        engine.agenda.put(ending, Math.min(next, ending.mootAt));
        goOn(ending, now);
    }

    private void tellNotEnded(Ending ending, Throwable cause, Moment now) {
        Lease lease = ending.lease;
        if (lease != null) {
            String message = "Could not release the lease on " + lease.key() + ": " + LeaseException.inWords(cause)
                    + ". The next acquire tries again"
                    + (lease.neverExpires() ? "." : "; it expires by itself in at most " + seconds(lease) + " s.");
            warn(ending, lease, message, cause, now);
        }
    }

    private void tellLeft(Ending ending, Lease lease, String why, Moment now) {
        String message = "Did not release the lease on " + lease.key() + ": " + why + "."
                + (lease.neverExpires() ? "" : " It expires by itself in at most " + seconds(lease) + " s.");
        warn(ending, lease, message, new IllegalStateException(why), now);
    }

    private static long seconds(Lease lease) {
        return (lease.ttls.largest() + 999_999_999) / 1_000_000_000;
    }

    private void warn(Ending ending, Lease lease, String message, Throwable cause, Moment now) {
        if (lease.isToldEnded) {
            tellAgain(ending, lease);
            return;
        }
        lease.isToldEnded = true;
        lease.isEndUnknown = true;
        LeaseException error = new LeaseException(LeaseException.Code.RELEASE_FAILED, lease.key(), message, cause);
        engine.outbox().tell(new LeaseEvent.CleanupWarning(engine.renewals.source(lease, now), error));
        ending.answer(ReleaseOutcome.UNKNOWN);
    }

    /** For as long as there may be something to end, and only so many. */
    private void keep(Ending ending, Moment now) {
        if (ending.mootAt == Agenda.Item.NEVER && !ending.isKeptForEver) {
            ending.mootAt = now.nanos() + ending.keptNanos;
        }
        Ending replaced = unfinished.put(ending.request.key(), ending);
        if (replaced != null && replaced != ending && !underWay.contains(replaced)) {
            engine.agenda.remove(replaced);
        }
        if (unfinished.size() > MOST_UNFINISHED) {
            drop(unfinished.values().iterator().next());
        }
    }

    private void drop(Ending ending) {
        unfinished.remove(ending.request.key(), ending);
        engine.agenda.remove(ending);
    }

    /** How many endings are kept for the next callers of their keys. */
    int unfinished() {
        return unfinished.size();
    }

    private static void goOn(Ending ending, Moment now) {
        List<Consumer<Moment>> onward = new ArrayList<>(ending.onward);
        ending.onward.clear();
        onward.forEach(next -> next.accept(now));
    }

    /** One settlement or checkpoint, until it is answered or given up. */
    private static final class Settling {
        private final Lease lease;
        private final SettleRequest request;
        private final CompletableFuture<SettleResult> result;
        private int tries;
        private boolean isOver;

        Settling(Lease lease, SettleRequest request, CompletableFuture<SettleResult> result) {
            this.lease = lease;
            this.request = request;
            this.result = result;
        }
    }

    private void send(Settling settling, Moment now) {
        settling.tries++;
        engine.outbox().send(new SettleAsk(settling, now));
    }

    /** A request to settle or to keep a checkpoint. */
    private final class SettleAsk extends LimitedAsk<SettleResult> {
        private final Settling settling;
        private final Lease lease;
        private final Settlement settlement;

        SettleAsk(Settling settling, Moment sent) {
            super(sent, limit(settling.lease));
            this.settling = settling;
            this.lease = settling.lease;
            this.settlement = settling.request.settlement();
        }

        @Override
        Object subject() {
            return lease;
        }

        @Override
        SettleResult perform(LeaseStore store) {
            return store.settle(settling.request);
        }

        /** A try that is confirmed late counts for all of them, unless the caller was told otherwise. */
        @Override
        void late(@Nullable SettleResult answer, Moment now) {
            if (answer != null && answer.isSettled()) {
                succeed(answer, now);
            }
        }

        @Override
        void succeed(SettleResult answer, Moment now) {
            if (settling.isOver) {
                return;
            }
            decided();
            if (answer.kind() != SettleResult.Kind.SETTLED) {
                engine.renewals.taken(
                        lease,
                        answer.equals(SettleResult.UNKNOWN)
                                ? "its record was finished, and does not say by which holder"
                                : "another holder has it",
                        now);
            } else if (!settlement.isCheckpoint()) {
                settled(lease, settlement.state(), now);
            }
            engine.outbox().afterwards(() -> settling.result.complete(answer));
        }

        @Override
        void fail(Throwable cause, Moment now) {
            if (settling.isOver) {
                return;
            }
            // A record that refuses these values refuses them again.
            if (settling.tries < PROMPT_TRIES && !(cause instanceof StoreRefusedException)) {
                send(settling, now);
            } else if (mayStillCount() && mayPass(cause)) {
                // For one more TTL, and not for as long as renewals get through: perhaps this answer never will.
                lease.endAt = Math.min(lease.endAt, now.nanos() + lease.ttlNanos);
                long delay = lease.options
                        .retry()
                        .delayAfter(settling.tries - PROMPT_TRIES + 1)
                        .toNanos();
                Agenda.Item later = new Agenda.Item() {
                    @Override
                    void due(Moment then) {
                        if (!settling.isOver) {
                            send(settling, then);
                        }
                    }

                    @Override
                    boolean isAwaited() {
                        return true;
                    }
                };
                engine.agenda.put(
                        later, now.nanos() + Math.min(delay, limit(lease).toNanos()));
            } else {
                decided();
                engine.outbox().afterwards(() -> settling.result.completeExceptionally(cause));
            }
        }

        private void decided() {
            settling.isOver = true;
            if (!settlement.isCheckpoint()) {
                lease.settling--;
            }
        }

        private boolean mayStillCount() {
            return lease.options.isRun()
                    && !settlement.isCheckpoint()
                    && !lease.validity.state().isFinal();
        }
    }

    private static boolean mayPass(Throwable cause) {
        return !(cause instanceof StoreException) || cause instanceof StoreUnavailableException;
    }

    /** The run is over and its answer is in the store. */
    void settled(Lease lease, @Nullable State as, Moment now) {
        if (!lease.validity.state().isFinal()) {
            engine.renewals.end(lease, LeaseState.SETTLED);
            engine.outbox().tell(new LeaseEvent.Settled(engine.renewals.source(lease, now), as));
        }
    }

    /** Ends a lease with an answer, or keeps a checkpoint. The lease is kept until the store has confirmed. */
    void settle(Lease lease, Settlement settlement, CompletableFuture<SettleResult> result, Moment now) {
        LeaseState state = lease.validity.state();
        // A run's answer that comes too late still counts if nobody took over; only the store knows.
        boolean mayCount = state == LeaseState.LOST && lease.options.isRun() && !settlement.isCheckpoint();
        if (state.isFinal() && !mayCount) {
            engine.outbox().afterwards(() -> result.complete(SettleResult.SUPERSEDED));
        } else {
            lease.settling += settlement.isCheckpoint() ? 0 : 1;
            send(new Settling(lease, request(lease, settlement), result), now);
        }
    }

    /** A checkpoint is numbered once, before its first try, so that all of its requests have the same number. */
    private static SettleRequest request(Lease lease, Settlement settlement) {
        if (!settlement.isCheckpoint()) {
            return SettleRequest.of(lease.ref(), settlement);
        }
        if (lease.checkpoints < Integer.MAX_VALUE) {
            lease.checkpoints++;
        }
        return SettleRequest.checkpoint(lease.ref(), settlement, lease.checkpoints);
    }
}
