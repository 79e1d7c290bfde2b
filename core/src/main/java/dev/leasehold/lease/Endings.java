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
 * in the background. The TTL ends what no try could.
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

    /** An ask that counts as failed if it is not answered in time, and whose answer counts once. */
    private abstract class LimitedAsk<T> extends Ask<T> {
        private final Agenda.Item limit;
        private boolean isOver;

        LimitedAsk(Moment sent, Duration longest) {
            super(sent);
            this.limit = new Agenda.Item() {
                @Override
                void due(Moment now) {
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

        @Override
        final void answered(T result, Moment now) {
            if (isFirst()) {
                succeed(result, now);
            }
        }

        @Override
        final void failed(Throwable cause, Moment now) {
            if (isFirst()) {
                fail(cause, now);
            }
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
        Duration sixth = lease.options.ttl().dividedBy(6);
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
        private boolean isToBeTriedAgain;
        /** When the client stops trying: by then the lease has expired in the store. */
        private long mootAt = NEVER;

        Ending(ReleaseRequest request, @Nullable Lease lease, CompletableFuture<ReleaseOutcome> result) {
            this.request = request;
            this.lease = lease;
            this.result = result;
        }

        @Override
        void due(Moment now) {
            if (now.nanos() >= mootAt) {
                drop(this);
            } else {
                send(this, now);
            }
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
            ended(ending, result, now);
        }

        @Override
        void fail(Throwable cause, Moment now) {
            failedToEnd(ending, cause, now);
        }
    }

    /** Ends a lease by its holder's wish. */
    void release(Lease lease, ReleaseRequest request, CompletableFuture<ReleaseOutcome> result, Moment now) {
        if (now.nanos() >= lease.validity.deadline()) {
            engine.renewals.lose(lease, "its time ran out before it was released", now);
        }
        LeaseState state = lease.validity.state();
        if (state.isFinal()) {
            if (lease.mayBeOurs) {
                lease.mayBeOurs = false;
                quietly(request, now); // The work is over: the others need not wait for the expiry.
            }
            ReleaseOutcome outcome = state == LeaseState.LOST ? ReleaseOutcome.LOST : ReleaseOutcome.RELEASED;
            engine.outbox().afterwards(() -> result.complete(outcome));
            return;
        }
        engine.renewals.end(lease, LeaseState.RELEASED);
        send(new Ending(request, lease, result), now);
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
        underWay.remove(ending);
        engine.agenda.remove(ending);
        unfinished.remove(ending.request.key(), ending);
        Lease lease = ending.lease;
        if (lease != null && !lease.isToldEnded) {
            lease.isToldEnded = true;
            LeaseEvent.Source source = engine.renewals.source(lease, now);
            boolean isReleased = result == ReleaseResult.RELEASED;
            if (isReleased) {
                engine.outbox().tell(new LeaseEvent.Released(source));
            } else {
                engine.renewals.end(lease, LeaseState.LOST);
                engine.outbox().tell(new LeaseEvent.Lost(source, "another holder had it when it was released"));
            }
            ReleaseOutcome outcome = isReleased ? ReleaseOutcome.RELEASED : ReleaseOutcome.LOST;
            engine.outbox().afterwards(() -> ending.result.complete(outcome));
        }
        goOn(ending, now);
    }

    private void failedToEnd(Ending ending, Throwable cause, Moment now) {
        underWay.remove(ending);
        Lease lease = ending.lease;
        if (ending.tries < PROMPT_TRIES && ending.onward.isEmpty()) {
            send(ending, now);
            return;
        }
        keep(ending, now);
        if (lease != null && !lease.isToldEnded) {
            lease.isToldEnded = true;
            String message = "The lease on " + lease.key() + " could not be given back and ends with its TTL: "
                    + cause.getMessage();
            LeaseException error = new LeaseException(LeaseException.Code.RELEASE_FAILED, lease.key(), message, cause);
            engine.outbox().tell(new LeaseEvent.CleanupWarning(engine.renewals.source(lease, now), error));
            engine.outbox().afterwards(() -> ending.result.complete(ReleaseOutcome.UNKNOWN));
        }
        RetryPolicy policy = lease == null ? RetryPolicy.DEFAULT : lease.options.retry();
        int later = ending.tries - PROMPT_TRIES + 1;
        ending.isToBeTriedAgain = later < policy.maxAttempts();
        long next =
                ending.isToBeTriedAgain ? now.nanos() + policy.delayAfter(later).toNanos() : ending.mootAt;
        engine.agenda.put(ending, Math.min(next, ending.mootAt));
        goOn(ending, now);
    }

    /** For as long as there may be something to end, and only so many. */
    private void keep(Ending ending, Moment now) {
        if (ending.mootAt == Agenda.Item.NEVER) {
            Lease lease = ending.lease;
            ending.mootAt = now.nanos() + (lease == null ? KEPT_WITHOUT_TTL.toNanos() : lease.ttlNanos);
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

    /** A request to settle or to keep a checkpoint. */
    private final class SettleAsk extends LimitedAsk<SettleResult> {
        private final Lease lease;
        private final SettleRequest request;
        private final Settlement settlement;
        private final CompletableFuture<SettleResult> result;
        private final int tries;

        SettleAsk(Lease lease, SettleRequest request, CompletableFuture<SettleResult> result, int tries, Moment sent) {
            super(sent, limit(lease));
            this.lease = lease;
            this.request = request;
            this.settlement = request.settlement();
            this.result = result;
            this.tries = tries;
        }

        @Override
        Object subject() {
            return lease;
        }

        @Override
        SettleResult perform(LeaseStore store) {
            return store.settle(request);
        }

        @Override
        void succeed(SettleResult answer, Moment now) {
            if (answer == SettleResult.SUPERSEDED) {
                engine.renewals.abandon(lease, "another holder has it", now);
            } else if (!settlement.isCheckpoint()) {
                settled(lease, settlement.state(), now);
            }
            engine.outbox().afterwards(() -> result.complete(answer));
        }

        @Override
        void fail(Throwable cause, Moment now) {
            if (tries < PROMPT_TRIES) {
                again(now);
            } else if (mayStillCount() && mayPass(cause)) {
                // For one more TTL, and not for as long as renewals get through: perhaps this answer never will.
                lease.endAt = Math.min(lease.endAt, now.nanos() + lease.ttlNanos);
                long delay = lease.options
                        .retry()
                        .delayAfter(tries - PROMPT_TRIES + 1)
                        .toNanos();
                Agenda.Item later = new Agenda.Item() {
                    @Override
                    void due(Moment then) {
                        again(then);
                    }

                    @Override
                    boolean isAwaited() {
                        return true;
                    }
                };
                engine.agenda.put(
                        later, now.nanos() + Math.min(delay, limit(lease).toNanos()));
            } else {
                engine.outbox().afterwards(() -> result.completeExceptionally(cause));
            }
        }

        private boolean mayStillCount() {
            return lease.options.isRun()
                    && !settlement.isCheckpoint()
                    && !lease.validity.state().isFinal();
        }

        private void again(Moment now) {
            engine.outbox().send(new SettleAsk(lease, request, result, tries + 1, now));
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
            engine.outbox().send(new SettleAsk(lease, request(lease, settlement), result, 1, now));
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
