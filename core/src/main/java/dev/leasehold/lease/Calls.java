package dev.leasehold.lease;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.store.WakeUp;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * Acquiring and waiting. Every call asks with one nonce for as long as it lives, so that a reply that was lost, or came
 * too late to be of use, is simply asked for again.
 *
 * <p>Calls that wait in line for one key queue up here first, and only the foremost talks to the store: threads of one
 * process take turns, and a hundred of them cost the store no more than one.
 */
final class Calls {
    private static final int POLLS_PER_WAIT = 8;

    private final LeaseEngine engine;
    private final Map<Nonce, Call> open = new LinkedHashMap<>();
    private final Map<Key, Deque<Call>> lines = new HashMap<>();
    private final Set<AcquireAsk> underWay = new HashSet<>();
    private final SetBackWatch watch;
    private boolean isWoken;

    Calls(LeaseEngine engine) {
        this.engine = engine;
        this.watch = new SetBackWatch(engine.settings);
    }

    /** From now on the store tells callers in line; polling is for the case that it fails to. */
    void willBeWoken() {
        isWoken = true;
    }

    /** A request to acquire. */
    final class AcquireAsk extends Ask<AcquireResult> {
        private final Call call;
        private final AcquireRequest request;

        AcquireAsk(Call call, AcquireRequest request, Moment sent) {
            super(sent);
            this.call = call;
            this.request = request;
        }

        @Override
        Object subject() {
            return call;
        }

        @Override
        AcquireResult perform(LeaseStore store) {
            return store.acquire(request);
        }

        @Override
        void answered(AcquireResult result, Moment now) {
            underWay.remove(this);
            if (result instanceof AcquireResult.Granted granted) {
                granted(this, granted, now);
            } else if (call.phase == Call.Phase.DONE) {
                late(this, result, now);
            } else if (this == call.latest) {
                refused(call, result, now);
            }
        }

        @Override
        void failed(Throwable cause, Moment now) {
            underWay.remove(this);
            call.mayHaveSomething = true;
            if (call.phase == Call.Phase.DONE) {
                if (call.lease == null) {
                    withdraw(call, now);
                }
            } else if (this == call.latest) {
                unanswered(call, cause, now);
            }
        }
    }

    void open(Call call, Moment now) {
        call.madeAt = now.nanos();
        open.put(call.nonce, call);
        if (call.isInLine()) {
            call.giveUpAt = now.nanos() + call.options.patience().toNanos();
            Deque<Call> line = lines.computeIfAbsent(call.key, key -> new ArrayDeque<>());
            line.add(call);
            if (!call.equals(line.peek())) {
                engine.agenda.put(call, call.giveUpAt);
                return;
            }
        }
        begin(call, now);
    }

    private void begin(Call call, Moment now) {
        boolean isCleaning = engine.endings.cleanUp(call.key, now, moment -> {
            if (call.phase == Call.Phase.CLEANING) {
                ask(call, moment);
            }
        });
        if (isCleaning) {
            call.phase = Call.Phase.CLEANING;
            engine.agenda.put(
                    call,
                    Math.min(
                            call.giveUpAt,
                            now.nanos() + call.options.attemptLimit().toNanos()));
        } else {
            ask(call, now);
        }
    }

    private void ask(Call call, Moment now) {
        call.phase = Call.Phase.ASKING;
        call.attempts++;
        if (call.firstSent == null) {
            call.firstSent = now;
        }
        Duration placeLife = engine.settings.placeLife(call.options.ttl());
        AcquireAsk ask =
                new AcquireAsk(call, call.request(placeLife, watch.gone(call.key, call.options.lockDelay())), now);
        call.latest = ask;
        underWay.add(ask);
        engine.outbox().send(ask);
        long limit = now.nanos() + call.options.attemptLimit().toNanos();
        long patience = Math.max(call.giveUpAt, now.nanos() + call.options.ttl().toNanos() / 6);
        engine.agenda.put(call, Math.min(limit, patience));
    }

    /** The moment a call was waiting for has come. */
    void due(Call call, Moment now) {
        boolean isOver = now.nanos() >= call.giveUpAt;
        switch (call.phase) {
            case QUEUED -> {
                // Nobody asked the store for this call; the foremost of its line knows how things stand.
                Call first = lines.getOrDefault(call.key, new ArrayDeque<>()).peek();
                call.refusal = first == null ? null : first.refusal;
                giveUp(call, now);
            }
            case CLEANING -> ask(call, now);
            case ASKING -> {
                call.mayHaveSomething = true;
                unanswered(call, timedOut(call, now), now);
            }
            case PAUSED -> {
                if (isOver) {
                    giveUp(call, now);
                } else {
                    ask(call, now);
                }
            }
            case DONE -> {}
        }
    }

    private void granted(AcquireAsk ask, AcquireResult.Granted granted, Moment now) {
        Call call = ask.call;
        Lease lease = call.lease;
        LeaseRef ref = new LeaseRef(call.key, call.nonce, granted.fence());
        if (lease != null && lease.ref().equals(ref)) {
            engine.renewals.extend(lease, ask.sent, granted.remaining(), now);
        } else if (call.phase == Call.Phase.DONE) {
            // A late duplicate took the key for a call that is over: nobody wants it.
            engine.giveBack(ReleaseRequest.of(ref).withEnding(call.options.ending()), now);
        } else {
            Lease fresh = engine.renewals.take(call, granted, ask.sent, now);
            if (fresh.isValidAt(now)) {
                acquired(call, fresh, now);
            } else if (ask == call.latest) {
                // So late that it is as good as lost. The record may still be ours, so the same nonce asks again.
                call.mayHaveSomething = true;
                unanswered(call, timedOut(call, now), now);
            }
        }
    }

    private void acquired(Call call, Lease lease, Moment now) {
        // The event is made first. If that fails, nothing has changed yet, and the call asks again.
        LeaseEvent told = new LeaseEvent.Acquired(
                engine.source(call.key, call.nonce, call.owner, lease.fence(), now), call.attempts, call.waited(now));
        call.lease = lease;
        watch.end(call.key);
        engine.renewals.keep(lease, now);
        engine.outbox().tell(told);
        finish(call, now);
        engine.outbox().afterwards(() -> {
            if (!call.result.complete(new Acquisition.Acquired(lease))) {
                call.leases.cancel(call); // Whoever had the future ended it by other means.
            }
        });
    }

    /** A clear no to a call that still wants the key. */
    private void refused(Call call, AcquireResult result, Moment now) {
        call.phase = Call.Phase.PAUSED; // Nothing is under way any more that would have to be withdrawn.
        call.refusal = result;
        call.failure = null;
        if (result instanceof AcquireResult.Held held) {
            Moment sent = Objects.requireNonNull(call.latest).sent;
            if (held.inLine()) {
                call.mayHaveSomething = true;
                call.foundHeld(held.fence(), sent);
            }
            if (watch.findsGone(call.key, held, call.options.lockDelay(), sent, now)) {
                ask(call, now);
                return;
            }
            contended(call, held.remaining().plus(call.options.lockDelay()), isWoken && held.inLine(), now);
        } else if (result instanceof AcquireResult.Cooling cooling && call.options.awaitsCooldown()) {
            contended(call, cooling.remaining(), isWoken, now);
        } else if (result instanceof AcquireResult.Spent) {
            fail(call, LeaseException.Code.UNAVAILABLE, "The call was withdrawn before", now);
        } else {
            giveUp(call, now);
        }
    }

    private void contended(Call call, Duration remaining, boolean willBeWoken, Moment now) {
        switch (call.options.waiting()) {
            case NOT -> giveUp(call, now);
            case RETRYING -> {
                if (call.attempts >= call.options.retry().maxAttempts()) {
                    giveUp(call, now);
                } else {
                    tryAgain(call, LeaseEvent.Reason.CONTENDED, now);
                }
            }
            case IN_LINE -> {
                if (now.nanos() >= call.giveUpAt) {
                    giveUp(call, now);
                    return;
                }
                long delay = Math.min(pollDelay(call, willBeWoken, now), nanos(remaining) + engine.jittered(5_000_000));
                if (call.polls++ == 0) {
                    tellRetry(call, Duration.ofNanos(delay), LeaseEvent.Reason.CONTENDED, now);
                }
                pause(call, delay, now);
            }
        }
    }

    /** A holder's expiry and lock delays that last for ever are together more than a number holds. */
    private static long nanos(Duration remaining) {
        return (Micros.isForever(remaining) ? Micros.FOREVER : remaining).toNanos();
    }

    /**
     * A waiter that the store does not wake finds its grant at its next poll, and the callers behind it wait for that poll.
     * So it polls at intervals that grow with how long it has waited, up to a limit.
     */
    private long pollDelay(Call call, boolean willBeWoken, Moment now) {
        Settings settings = engine.settings;
        if (willBeWoken) {
            return engine.jittered(settings.pollWithWakeUp(call.options.ttl()).toNanos());
        }
        Moment first = Objects.requireNonNull(call.firstSent);
        long share = (now.nanos() - first.nanos()) / POLLS_PER_WAIT;
        long least = settings.shortestPoll().toNanos();
        return engine.jittered(
                Math.max(least, Math.min(share, settings.longestPoll().toNanos())));
    }

    /** No answer, or one that helps nobody: what was asked may have happened. */
    private void unanswered(Call call, Throwable cause, Moment now) {
        call.failure = cause;
        call.mayHaveSomething = true;
        boolean isHopeless = cause instanceof StoreException && !(cause instanceof StoreUnavailableException);
        boolean isLast = call.isInLine()
                ? now.nanos() >= call.giveUpAt
                : call.attempts >= call.options.retry().maxAttempts();
        if (isHopeless || isLast) {
            giveUp(call, now);
        } else {
            tryAgain(call, reason(call, cause), now);
        }
    }

    private static LeaseEvent.Reason reason(Call call, Throwable cause) {
        // Of the exceptions that end an attempt, only the one of its time limit is a LeaseException.
        boolean isTimeOut = cause instanceof LeaseException;
        if (isTimeOut && call.options.areTimeOutsContention()) {
            return LeaseEvent.Reason.CONTENDED;
        }
        return isTimeOut || cause instanceof StoreUnavailableException
                ? LeaseEvent.Reason.UNAVAILABLE
                : LeaseEvent.Reason.TRANSIENT_ERROR;
    }

    private void tryAgain(Call call, LeaseEvent.Reason reason, Moment now) {
        Duration delay = call.options.retry().delayAfter(call.attempts);
        tellRetry(call, delay, reason, now);
        pause(call, delay.toNanos(), now);
    }

    private void tellRetry(Call call, Duration delay, LeaseEvent.Reason reason, Moment now) {
        LeaseEvent.Source source = source(call, now);
        engine.outbox().tell(new LeaseEvent.Retry(source, call.attempts, delay, reason));
    }

    private void pause(Call call, long delayNanos, Moment now) {
        call.phase = Call.Phase.PAUSED;
        engine.agenda.put(call, Math.min(now.nanos() + delayNanos, call.giveUpAt));
    }

    private static LeaseException timedOut(Call call, Moment now) {
        long waited = call.latest == null ? 0 : (now.nanos() - call.latest.sent.nanos()) / 1_000_000;
        return new LeaseException(
                LeaseException.Code.TIMEOUT,
                call.key,
                "The store gave no answer of use within " + waited + " ms: key " + call.key + ".",
                null);
    }

    /** Ends the call without a lease: refused if that is what the store said last, failed otherwise. */
    private void giveUp(Call call, Moment now) {
        Throwable failure = call.failure;
        AcquireResult refusal = call.refusal;
        if (failure == null && refusal != null) {
            Acquisition.Refused refused = new Acquisition.Refused(call.key, refusal);
            // To a run, an answer, or that somebody is at it, is as good an outcome as any.
            if (call.options.waiting() == LeaseOptions.Waiting.NOT || call.options.isRun()) {
                engine.outbox().tell(new LeaseEvent.Refused(source(call, now), refused, call.waited(now)));
            } else {
                tellFailed(call, refused.toException(), now);
            }
            finish(call, now);
            engine.outbox().afterwards(() -> call.result.complete(refused));
        } else if (failure instanceof StoreUnsupportedException) {
            fail(call, LeaseException.Code.UNSUPPORTED, "This store cannot work here", now);
        } else if (failure == null) {
            fail(
                    call,
                    LeaseException.refusal(
                            call.key,
                            "Other callers in this process waited for the key first, and the wait ended before this call's"
                                    + " turn: key " + call.key + ", attempt " + call.attempts + "."),
                    now);
        } else {
            fail(call, LeaseException.Code.UNAVAILABLE, "The store gave no usable answer", now);
        }
    }

    private void fail(Call call, LeaseException.Code code, String why, Moment now) {
        Throwable cause = call.failure;
        String detail = cause == null ? "" : " (" + cause.getMessage() + ")";
        String message = why + detail + ": key " + call.key + ", attempt " + call.attempts + ".";
        fail(call, new LeaseException(code, call.key, message, cause), now);
    }

    private void fail(Call call, LeaseException error, Moment now) {
        tellFailed(call, error, now);
        finish(call, now);
        engine.outbox().afterwards(() -> call.result.completeExceptionally(error));
    }

    private void tellFailed(Call call, LeaseException error, Moment now) {
        engine.outbox().tell(new LeaseEvent.Failed(source(call, now), error, call.waited(now)));
    }

    private LeaseEvent.Source source(Call call, Moment now) {
        Lease lease = call.lease;
        return engine.source(call.key, call.nonce, call.owner, lease == null ? null : lease.fence(), now);
    }

    /** The caller does not want it any more: interrupted, cancelled, or the client is closed. */
    void cancel(Call call, LeaseException reason, Moment now) {
        if (call.phase != Call.Phase.DONE) {
            finish(call, now);
            engine.outbox().afterwards(() -> call.result.completeExceptionally(reason));
        }
    }

    void cancelAll(Function<Key, LeaseException> reason, Moment now) {
        lines.clear();
        for (Call call : new ArrayList<>(open.values())) {
            cancel(call, reason.apply(call.key), now);
        }
    }

    /** Whether the store was asked for something, has not answered yet, and still has time to. */
    boolean areUnderWay(Moment now) {
        return underWay.stream()
                .anyMatch(ask -> now.nanos() - ask.sent.nanos()
                        < ask.call.options.attemptLimit().toNanos());
    }

    /** Takes the call off all lists, and leaves nothing of it in the store. */
    private void finish(Call call, Moment now) {
        boolean isAsking = call.phase == Call.Phase.ASKING;
        call.phase = Call.Phase.DONE;
        engine.agenda.remove(call);
        open.remove(call.nonce);
        if (call.lease == null && (call.mayHaveSomething || isAsking)) {
            withdraw(call, now);
        }
        Deque<Call> line = lines.get(call.key);
        if (line != null) {
            boolean wasFirst = call.equals(line.peek());
            line.remove(call);
            Call next = line.peek();
            if (next == null) {
                lines.remove(call.key);
            } else if (wasFirst) {
                begin(next, now);
            }
        }
    }

    private void withdraw(Call call, Moment now) {
        ReleaseRequest request = ReleaseRequest.withdrawing(call.key, call.nonce);
        engine.giveBack(request.withEnding(call.options.ending()), now);
    }

    /**
     * A refusal that came after the call had ended; it may have taken a place in line. While the call's lease is kept, or
     * lost with its record left to its expiry, nothing is withdrawn: that would give the record back. Nor is it for a
     * refusal from before the lease was granted: its place was used up by the grant, and a withdrawal that overtakes the
     * release would end the lease in its stead.
     */
    private void late(AcquireAsk ask, AcquireResult result, Moment now) {
        if (!(result instanceof AcquireResult.Held held) || !held.inLine()) {
            return;
        }
        Lease lease = ask.call.lease;
        if (lease == null) {
            withdraw(ask.call, now);
            return;
        }
        LeaseState state = lease.validity.state();
        boolean isOver = state == LeaseState.RELEASED || state == LeaseState.SETTLED;
        if (isOver && held.fence().compareTo(lease.fence()) > 0) {
            withdraw(ask.call, now);
        }
    }

    void wokenUp(WakeUp wakeUp, Moment now) {
        Call call = open.get(wakeUp.nonce());
        if (call == null || call.firstSent == null) {
            return;
        }
        if (wakeUp instanceof WakeUp.HandedOver handed && !needsMore(call, handed)) {
            Lease lease = engine.renewals.takeHandedOver(call, handed, now);
            if (lease.isValidAt(now)) {
                acquired(call, lease, now);
                return;
            }
        }
        if (call.phase == Call.Phase.PAUSED) {
            ask(call, now);
        }
    }

    /**
     * Returns whether the caller must ask the store before its work begins. A wake-up carries no checkpoint, and a hand-over
     * counts as an attempt only after its holder's first request.
     */
    private static boolean needsMore(Call call, WakeUp.HandedOver handed) {
        return call.options.isRun() || handed.attempt() > 1;
    }
}
