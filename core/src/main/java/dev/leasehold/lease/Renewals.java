package dev.leasehold.lease;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.store.WakeUp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Keeping leases: renewed together, told at risk and lost by this process's own clock, whether the store answers or not.
 *
 * <p>One request is under way at a time, with all leases that are due or nearly so; only a slow one is overtaken by the
 * next, so that one slow key does not cost the others their leases.
 */
final class Renewals {
    /** A request that fails is made again in so many parts: two thousand leases are told apart by two more requests. */
    private static final int PARTS = 48;

    /** Clocks are read one after the other, and the wall clock is slewed: less than this is no sleep. */
    private static final long LEAST_SLEEP_MICROS = 50_000;

    /** How often the keeper looks at both clocks while it has leases to keep. */
    private static final long LOOK_EVERY = 1_000_000_000L;

    private final LeaseEngine engine;
    private final Map<LeaseRef, Lease> kept = new LinkedHashMap<>();
    private final Set<Lease> due = new LinkedHashSet<>();
    private final Agenda.Item overtaking;
    private final Agenda.Item look;
    private final SleepWatch sleepWatch = new SleepWatch();
    /** The latest batch, until it is answered. Renewals by hand go beside it and keep no batch waiting. */
    private @Nullable RenewAsk underWay;

    private boolean isLooking;
    /** The number of renewals that were sent. */
    private long sentRenewals;

    Renewals(LeaseEngine engine) {
        this.engine = engine;
        // Nothing to do but to step the engine, which pumps.
        this.overtaking = new Agenda.Item() {
            @Override
            void due(Moment now) {}
        };
        // The step that this causes has looked at the clocks already.
        this.look = new Agenda.Item() {
            @Override
            void due(Moment now) {
                isLooking = false;
                lookAgain(now);
            }
        };
    }

    /** A request to renew. */
    class RenewAsk extends Ask<List<Renewal>> {
        private final List<Lease> leases;
        /** Renewals are numbered in the order of their sending. */
        final long number = ++sentRenewals;

        RenewAsk(List<Lease> leases, Moment sent) {
            super(sent);
            this.leases = leases;
        }

        @Override
        Object subject() {
            return this;
        }

        @Override
        List<Renewal> perform(LeaseStore store) {
            return store.renew(leases.stream().map(Lease::ref).toList());
        }

        @Override
        void answered(List<Renewal> renewals, Moment now) {
            over();
            Map<LeaseRef, Renewal> answers = new HashMap<>(renewals.size() * 2);
            renewals.forEach(renewal -> answers.put(renewal.lease(), renewal));
            for (Lease lease : leases) {
                Renewal answer = answers.get(lease.ref());
                if (answer == null) {
                    notHeld(lease, this, now);
                } else if (answer.isExtended()) {
                    if (!Micros.isForever(answer.remaining())) {
                        lease.ttls.answered(number, answer.remaining().toNanos());
                        lease.ttlNanos = lease.ttls.smallest();
                    }
                    extend(lease, sent, answer.remaining(), now);
                } else {
                    notExtended(lease, this, answer.remaining(), now);
                }
            }
        }

        @Override
        void failed(Throwable cause, Moment now) {
            over();
            leases.forEach(lease -> failedToRenew(lease, this, cause, now));
        }

        void over() {
            if (underWay == this) {
                underWay = null;
            }
        }
    }

    /**
     * A request to renew one lease because its holder asks. If it is for no TTL, holders that ask meanwhile wait for the
     * same answer.
     */
    final class ManualAsk extends RenewAsk {
        private final Lease lease;
        private final @Nullable Duration ttl;
        private final @Nullable Before before;
        private final List<CompletableFuture<Void>> waiting = new ArrayList<>(1);
        private final Agenda.Item limit;

        /**
         * @param ttl the lease's TTL from now on; {@code null} to keep the present one
         * @param before what is restored if the store refuses the TTL; {@code null} for nothing
         */
        ManualAsk(Lease lease, @Nullable Duration ttl, @Nullable Before before, Moment sent) {
            super(List.of(lease), sent);
            this.lease = lease;
            this.ttl = ttl;
            this.before = before;
            if (ttl != null) {
                lease.ttls.asked(number, ttl.toNanos());
            }
            this.limit = new Agenda.Item() {
                @Override
                void due(Moment now) {
                    fail(noAnswer(lease));
                }

                @Override
                boolean isAwaited() {
                    return true;
                }
            };
            // Its callers must not wait longer than for anything else.
            engine.agenda.put(limit, sent.nanos() + requestTimeout(lease));
        }

        @Override
        Object subject() {
            return lease;
        }

        @Override
        List<Renewal> perform(LeaseStore store) {
            return ttl == null
                    ? super.perform(store)
                    : store.renew(lease.ref(), ttl).stream().toList();
        }

        @Override
        void answered(List<Renewal> renewals, Moment now) {
            if (renewals.stream().anyMatch(Renewal::isExtended)) {
                lease.ttls.confirmed(number, sentRenewals);
            }
            notTaken();
            super.answered(renewals, now);
            waiting.forEach(done -> engine.outbox().afterwards(() -> done.complete(null)));
        }

        @Override
        void failed(Throwable cause, Moment now) {
            if (cause instanceof StoreUnsupportedException) {
                refused(now);
            } else {
                boolean mayBeTaken = !(cause instanceof StoreException) || cause instanceof StoreUnavailableException;
                if (!mayBeTaken) {
                    notTaken();
                }
                super.failed(cause, now);
            }
            fail(cause);
        }

        /** The store has not taken over the TTL, unless it has confirmed it, and will not do so late. */
        private void notTaken() {
            if (ttl != null) {
                lease.ttls.unchanged(number);
                lease.ttlNanos = lease.ttls.smallest();
            }
        }

        /** The store cannot change a TTL; nothing is wrong with the lease. */
        private void refused(Moment now) {
            if (before != null && lease.ttlAsk == this) {
                before.restore(lease);
            }
            notTaken();
            if (lease.asked == this) {
                lease.asked = null;
                reschedule(lease, now);
            }
        }

        private void fail(Throwable cause) {
            over();
            waiting.forEach(done -> engine.outbox().afterwards(() -> done.completeExceptionally(cause)));
            waiting.clear();
        }

        @Override
        void over() {
            engine.agenda.remove(limit);
            if (lease.manual == this) {
                lease.manual = null;
            }
            if (lease.ttlAsk == this) {
                lease.ttlAsk = null;
            }
        }
    }

    /** The part of a lease that {@link #shorten} changes. */
    private record Before(long deadline, long renewAt, long atRiskAt) {
        static Before of(Lease lease) {
            return new Before(lease.validity.deadline(), lease.renewAt, lease.atRiskAt);
        }

        void restore(Lease lease) {
            if (deadline > lease.validity.deadline() && !lease.validity.state().isFinal()) {
                lease.validity = lease.validity.until(deadline);
                lease.renewAt = renewAt;
                lease.atRiskAt = atRiskAt;
            }
        }
    }

    /** The handle of a lease that was just granted; not kept yet, so that one granted too late can be dropped. */
    Lease take(Call call, AcquireResult.Granted granted, Moment sent, Moment now) {
        LeaseRef ref = new LeaseRef(call.key, call.nonce, granted.fence());
        Lease lease = new Lease(call, ref, granted, this, now);
        if (!Micros.isForever(lease.options.longestLife())) {
            lease.endAt = now.nanos() + lease.options.longestLife().toNanos();
        }
        lease.validity = validity(lease, sent, granted.remaining());
        plan(lease, sent);
        return lease;
    }

    /**
     * The handle of a lease that was handed over. Its life counts from the call's last request that found another
     * holder: the grant came after that. How long the waiter stood in line by the store's clock does not count, because
     * that clock may have been set meanwhile; nor does the moment of the wake-up, which may have been late.
     */
    Lease takeHandedOver(Call call, WakeUp.HandedOver handed, Moment now) {
        Fence fence = handed.lease().fence();
        AcquireResult.Granted granted =
                new AcquireResult.Granted(fence, handed.remaining(), handed.attempt(), null, null);
        Lease lease = take(call, granted, call.sentBeforeGrantOf(fence), now);
        // Short until confirmed: renewed soon, but not so soon that brief work would pay for it.
        long deadline = lease.validity.deadline();
        long early = deadline - handed.remaining().toNanos() * 7 / 10;
        lease.renewAt = Math.max(early, now.nanos() + (deadline - now.nanos()) / 10);
        lease.atRiskAt = lease.renewAt + (deadline - lease.renewAt) / 2;
        return lease;
    }

    private Validity validity(Lease lease, Moment sent, Duration remaining) {
        long margin = engine.settings.marginNanos(lease.ttlNanos);
        // An answer to an older renewal may tell more than a TTL that was changed since, or that is on its way to the
        // store.
        long life = lease.ttls.mayDiffer() ? Math.min(remaining.toNanos(), lease.ttlNanos) : remaining.toNanos();
        long deadline = Micros.isForever(remaining)
                ? Long.MAX_VALUE
                : engine.settings.deadline(sent.nanos(), life, lease.ttlNanos);
        deadline = Math.min(deadline, lease.endAt);
        long tolerance = Math.max(margin / 1_000, LEAST_SLEEP_MICROS);
        return new Validity(LeaseState.HELD, deadline, sent.offsetMicros(), tolerance);
    }

    private void plan(Lease lease, Moment sent) {
        long deadline = lease.validity.deadline();
        if (deadline == Long.MAX_VALUE) {
            lease.renewAt = Long.MAX_VALUE;
            lease.atRiskAt = Long.MAX_VALUE;
            return;
        }
        long period = period(lease);
        long spread = lease.options.isPeriodChosen() ? 1 : Math.max(1, period / 10);
        lease.renewAt = sent.nanos() + period - engine.random.nextLong(spread);
        if (wouldOutliveItsTime(lease, lease.ttlNanos)) {
            // That it ends is no danger to be told of.
            lease.renewAt = Long.MAX_VALUE;
            lease.atRiskAt = Long.MAX_VALUE;
            return;
        }
        lease.atRiskAt = lease.renewAt + (deadline - lease.renewAt) / 2;
    }

    /** Returns whether the lease would outlive its longest life in the store if it is renewed once more, for this long. */
    private static boolean wouldOutliveItsTime(Lease lease, long ttlNanos) {
        return lease.endAt != Long.MAX_VALUE && lease.renewAt + ttlNanos > lease.endAt;
    }

    /** A new TTL changes the period by the same factor. */
    private static long period(Lease lease) {
        LeaseOptions options = lease.options;
        return (long) (options.renewEvery().toNanos()
                * ((double) lease.ttlNanos / options.ttl().toNanos()));
    }

    void keep(Lease lease, Moment now) {
        kept.put(lease.ref(), lease);
        sleepWatch.include(lease.validity);
        lookAgain(now);
        reschedule(lease, now);
    }

    private void lookAgain(Moment now) {
        if (!isLooking && !kept.isEmpty()) {
            isLooking = true;
            engine.agenda.put(look, now.nanos() + LOOK_EVERY);
        }
    }

    Collection<Lease> kept() {
        return kept.values();
    }

    /** The lease's next moment: its renewal, unless that is queued or under way, and in any case its dangers. */
    private void reschedule(Lease lease, Moment now) {
        Validity validity = lease.validity;
        if (validity.state().isFinal()) {
            engine.agenda.remove(lease.item);
            return;
        }
        long at = validity.deadline();
        if (validity.state() == LeaseState.HELD) {
            at = Math.min(at, lease.atRiskAt);
        }
        RenewAsk asked = lease.asked;
        if (asked != null) {
            at = Math.min(at, asked.sent.nanos() + requestTimeout(lease));
        } else if (!due.contains(lease)) {
            at = Math.min(at, lease.renewAt);
        }
        engine.agenda.put(lease.item, at == Long.MAX_VALUE ? at : Math.max(at, now.nanos()));
    }

    private static long requestTimeout(Lease lease) {
        return lease.ttlNanos / 6;
    }

    private static StoreUnavailableException noAnswer(Lease lease) {
        return new StoreUnavailableException("no answer within " + requestTimeout(lease) / 1_000_000 + " ms");
    }

    /** The moment a lease was waiting for has come. */
    void due(Lease lease, Moment now) {
        if (lease.validity.state().isFinal()) {
            return;
        }
        if (now.nanos() >= lease.validity.deadline()) {
            lose(lease, "its time ran out before a renewal got through", now);
            return;
        }
        if (lease.validity.state() == LeaseState.HELD && now.nanos() >= lease.atRiskAt) {
            lease.validity = lease.validity.as(LeaseState.AT_RISK);
            LeaseEvent.Source source = source(lease, now);
            engine.outbox().tell(new LeaseEvent.AtRisk(source, expiresAt(lease, now)));
        }
        RenewAsk asked = lease.asked;
        if (asked != null && now.nanos() >= asked.sent.nanos() + requestTimeout(lease)) {
            failedToRenew(lease, asked, noAnswer(lease), now);
        } else if (asked == null && now.nanos() >= lease.renewAt) {
            due.add(lease);
        }
        reschedule(lease, now);
    }

    /** Sends the next batch if there is one and the store is not busy with the last. */
    void pump(Moment now) {
        if (due.isEmpty()) {
            return;
        }
        RenewAsk busy = underWay;
        long patience = engine.settings.slowAfter().toNanos();
        if (busy != null && now.nanos() - busy.sent.nanos() < patience) {
            engine.agenda.put(overtaking, busy.sent.nanos() + patience);
            return;
        }
        addNearlyDue(now);
        RenewAsk batch = new RenewAsk(nextBatch(), now);
        underWay = batch;
        send(batch, now);
        if (!due.isEmpty()) {
            engine.agenda.put(overtaking, now.nanos() + patience);
        }
    }

    private List<Lease> nextBatch() {
        int company = due.iterator().next().company;
        int limit = Math.min(company, engine.settings.batch());
        List<Lease> batch = new ArrayList<>(Math.min(due.size(), limit));
        for (Iterator<Lease> all = due.iterator(); all.hasNext() && batch.size() < limit; ) {
            Lease lease = all.next();
            if (lease.company == company) {
                batch.add(lease);
                all.remove();
            }
        }
        return batch;
    }

    /** Whoever would be due soon comes along: a few large requests instead of many small ones. */
    private void addNearlyDue(Moment now) {
        if (due.size() >= engine.settings.batch()) {
            return;
        }
        for (Lease lease : kept.values()) {
            if (lease.asked == null && lease.renewAt - period(lease) / 8 <= now.nanos()) {
                due.add(lease);
            }
        }
    }

    private void send(RenewAsk ask, Moment now) {
        for (Lease lease : ask.leases) {
            lease.asked = ask;
            reschedule(lease, now);
        }
        engine.outbox().send(ask);
    }

    /**
     * Renews this one now, because its holder asks.
     *
     * @param asked the lease's TTL from now on, unless it never expires; {@code null} to keep the present one
     */
    void renewNow(Lease lease, @Nullable Duration asked, CompletableFuture<Void> done, Moment now) {
        @Nullable Duration ttl = lease.neverExpires() ? null : asked;
        // A lease that has no end is asked about: the store may have lost it.
        boolean endsByItself = lease.renewAt == Long.MAX_VALUE && lease.endAt != Long.MAX_VALUE;
        if (lease.validity.state().isFinal() || (endsByItself && ttl == null)) {
            engine.outbox().afterwards(() -> done.complete(null));
            return;
        }
        ManualAsk present = lease.manual;
        if (ttl != null) {
            present = askForTtl(lease, ttl, now);
        } else if (present == null || !counts(lease, present)) {
            present = new ManualAsk(lease, null, null, now);
            lease.manual = present;
            sendNow(present, lease, now);
        }
        present.waiting.add(done);
    }

    /** A renewal without a TTL does not join this request: the store may refuse the TTL, and renew the lease all the same. */
    private ManualAsk askForTtl(Lease lease, Duration ttl, Moment now) {
        if (lease.endAt - now.nanos() < ttl.toNanos()) {
            throw new IllegalArgumentException("The TTL of " + ttl
                    + " is longer than what is left of the lease's longest"
                    + " life, " + Duration.ofNanos(Math.max(0, lease.endAt - now.nanos())) + ": shorten the TTL. Key "
                    + lease.key() + ".");
        }
        // While another TTL is asked for, the store may have that one, although it confirms this one.
        Before before = lease.ttlAsk == null ? Before.of(lease) : null;
        shorten(lease, ttl, now);
        ManualAsk ask = new ManualAsk(lease, ttl, before, now);
        lease.ttlAsk = ask;
        sendNow(ask, lease, now);
        return ask;
    }

    private void sendNow(ManualAsk ask, Lease lease, Moment now) {
        due.remove(lease);
        send(ask, now);
    }

    /**
     * A shorter TTL counts from the moment when the request for it is sent: if its answer is lost, the store may have it.
     * From then on no answer makes the lease valid for longer than that TTL. The deadline is set 1 ns early, so that the
     * answer extends it and a {@code lock:renewed} event is sent.
     */
    private void shorten(Lease lease, Duration ttl, Moment now) {
        lease.ttlNanos = Math.min(lease.ttlNanos, ttl.toNanos());
        Validity shorter = validity(lease, now, ttl);
        if (shorter.deadline() < lease.validity.deadline()) {
            lease.validity = lease.validity.shortened(shorter.deadline() - 1, shorter.toleranceMicros());
            sleepWatch.include(lease.validity);
            plan(lease, now);
        }
    }

    /** Whether the answer can make the lease valid: one to a request from before a sleep cannot. */
    private static boolean counts(Lease lease, RenewAsk ask) {
        return lease.validity.state() != LeaseState.SUSPECT || ask.sent.nanos() >= lease.suspectSince;
    }

    /** A renewal, or an acquire asked again, was answered. Never shortens a lease, never brings back a lost one. */
    void extend(Lease lease, Moment sent, Duration remaining, Moment now) {
        if (lease.validity.state().isFinal()) {
            return;
        }
        RenewAsk asked = lease.asked;
        if (asked != null && asked.sent.nanos() <= sent.nanos()) {
            lease.asked = null;
        }
        Validity extended = validity(lease, sent, remaining);
        // An answer from after a sleep counts even if it is no later than the old deadline, which the sleep made void.
        boolean isSuspect = lease.validity.state() == LeaseState.SUSPECT;
        boolean isNews = isSuspect
                ? sent.nanos() >= lease.suspectSince && !extended.sleptBy(now)
                : extended.deadline() > lease.validity.deadline();
        if (isNews) {
            lease.validity = extended;
            sleepWatch.include(extended);
            lease.failures = 0;
            lease.company = Integer.MAX_VALUE;
            plan(lease, sent);
            engine.outbox().tell(new LeaseEvent.Renewed(source(lease, now), expiresAt(lease, now)));
        } else if (extended.deadline() == lease.endAt) {
            // It ends then, or never, whatever is asked: nothing is gained by asking on. The store has answered.
            lease.failures = 0;
            lease.company = Integer.MAX_VALUE;
            plan(lease, sent);
        }
        if (now.nanos() >= lease.validity.deadline()) {
            lose(lease, "its time ran out before a renewal got through", now);
        } else {
            reschedule(lease, now);
        }
    }

    /**
     * No holder has the lease, or another one does. While an answer is on its way to the store, it may be that answer
     * that ended the lease: the reply to it decides, or a renewal after that.
     */
    private void notHeld(Lease lease, RenewAsk ask, Moment now) {
        if (lease.settling == 0) {
            taken(lease, "another holder has it", now);
        } else if (lease.asked == ask) {
            lease.asked = null;
            lease.renewAt = now.nanos() + requestTimeout(lease);
            reschedule(lease, now);
        }
    }

    /**
     * The lease is still its holder's, but a transaction of the user's has the record locked. The lease lives as long as
     * it did, and is renewed again soon, as after a failure. A lease that was suspect is trusted again, unless its expiry
     * lies further off than its TTL: then the store's clock was set back, and waiters do not wait for that expiry.
     */
    private void notExtended(Lease lease, RenewAsk ask, Duration remaining, Moment now) {
        boolean isSuspect = lease.validity.state() == LeaseState.SUSPECT;
        boolean isPlausible = remaining.toNanos() <= lease.ttlNanos;
        if (isSuspect && isPlausible && ask.sent.nanos() >= lease.suspectSince) {
            extend(lease, ask.sent, remaining, now);
            lease.asked = lease.validity.state().isFinal() ? null : ask;
        }
        StoreException cause = new StoreException("Another transaction has the record of " + lease.key()
                + " locked, such as one that called fence(). End it before the lease expires.");
        planRetry(lease, ask, cause, LeaseEvent.Reason.CONTENDED, now);
    }

    private void failedToRenew(Lease lease, RenewAsk ask, Throwable cause, Moment now) {
        if (lease.asked == ask && mayBeTheFaultOfOne(ask, cause, now)) {
            lease.company = Math.max(1, ask.leases.size() / PARTS);
        }
        LeaseEvent.Reason reason = cause instanceof StoreUnavailableException
                ? LeaseEvent.Reason.UNAVAILABLE
                : LeaseEvent.Reason.TRANSIENT_ERROR;
        boolean isHopeless = cause instanceof StoreException && !(cause instanceof StoreUnavailableException);
        if (isHopeless && lease.options.isLostIfHopeless()) {
            giveUpRenewing(lease, ask, cause, now);
        } else {
            planRetry(lease, ask, cause, reason, now);
        }
    }

    /** Renewing cannot succeed. A lease that was renewed together with others is asked for alone first. */
    private void giveUpRenewing(Lease lease, RenewAsk ask, Throwable cause, Moment now) {
        if (lease.validity.state().isFinal() || lease.asked != ask) {
            return;
        }
        lease.asked = null;
        if (ask.leases.size() > 1) {
            lease.company = 1;
            lease.renewAt = now.nanos();
            due.add(lease);
            reschedule(lease, now);
            return;
        }
        LeaseEvent.Lost lost = lost(lease, "renewing cannot succeed", cause, false, now);
        lose(lease, lost);
        engine.outbox().tell(new LeaseEvent.Failed(source(lease, now), lost.error(), Duration.ZERO));
    }

    LeaseEvent.Lost lost(Lease lease, String why, Moment now) {
        return lost(lease, why, null, true, now);
    }

    /** The store has said that it is not its holder's any more. */
    void taken(Lease lease, String why, Moment now) {
        abandon(lease, lostToAnother(lease, why, now));
    }

    LeaseEvent.Lost lostToAnother(Lease lease, String why, Moment now) {
        LeaseEvent.Lost lost = lost(lease, why, now);
        return new LeaseEvent.Lost(lost.source(), why, lost.error(), true);
    }

    private LeaseEvent.Lost lost(
            Lease lease, String reason, @Nullable Throwable cause, boolean isRetryable, Moment now) {
        String why = cause == null ? reason : reason + " (" + LeaseException.inWords(cause) + ")";
        String message = "The lease on " + lease.key() + " is lost: " + why + ". Stop, and acquire it again"
                + (isRetryable ? "." : " once the cause is gone.");
        LeaseException error =
                new LeaseException(LeaseException.Code.RENEWAL_FAILED, lease.key(), message, cause, isRetryable);
        return new LeaseEvent.Lost(source(lease, now), why, error, false);
    }

    private void planRetry(Lease lease, RenewAsk ask, Throwable cause, LeaseEvent.Reason reason, Moment now) {
        if (lease.validity.state().isFinal() || lease.asked != ask) {
            return;
        }
        lease.asked = null;
        lease.failures++;
        if (lease.options.isLostAfter(lease.failures)) {
            String why = "renewing failed " + lease.failures + " times in a row";
            lose(lease, lost(lease, why, cause, true, now));
            return;
        }
        Duration delay = lease.options.delayAfter(lease.failures);
        long delayNanos = Math.min(delay.toNanos(), requestTimeout(lease));
        lease.renewAt = now.nanos() + delayNanos;
        if (wouldOutliveItsTime(lease, lease.ttls.confirmed())) {
            lease.renewAt = Long.MAX_VALUE;
        }
        LeaseEvent.Source source = source(lease, now);
        engine.outbox().tell(new LeaseEvent.Retry(source, lease.failures, Duration.ofNanos(delayNanos), reason));
        reschedule(lease, now);
    }

    /** A store that is down says so at once, to all alike; whatever else fails may fail because of a single lease. */
    private boolean mayBeTheFaultOfOne(RenewAsk ask, Throwable cause, Moment now) {
        boolean isPrompt =
                now.nanos() - ask.sent.nanos() < engine.settings.slowAfter().toNanos();
        return !(isPrompt && cause instanceof StoreUnavailableException);
    }

    /**
     * The deadline has passed by our own clock. The record may still be ours, but the work may still be running: it is left
     * to its expiry, and to the lock delay of those who want it, until the holder says by a release that the work is over.
     */
    void lose(Lease lease, String why, Moment now) {
        lose(lease, lost(lease, why, now));
    }

    private void lose(Lease lease, LeaseEvent.Lost lost) {
        if (!lease.validity.state().isFinal()) {
            abandon(lease, lost);
            lease.mayBeOurs = !lease.options.isRun();
        }
    }

    /** The lease is lost and is not given back, whatever its holder does next. */
    void abandon(Lease lease, String why, Moment now) {
        abandon(lease, lost(lease, why, now));
    }

    /** The event is made before the call: should that fail, nothing is half done, and it is done again. */
    private void abandon(Lease lease, LeaseEvent.Lost lost) {
        if (!lease.validity.state().isFinal()) {
            end(lease, LeaseState.LOST);
            engine.outbox().tell(lost);
            engine.outbox().atOnce(() -> lease.tellLost(lost.why()));
        }
    }

    /** Takes the lease off all lists. */
    void end(Lease lease, LeaseState state) {
        lease.validity = lease.validity.as(state);
        lease.asked = null;
        kept.remove(lease.ref());
        due.remove(lease);
        engine.agenda.remove(lease.item);
    }

    /** Notices when the monotonic clock stood still: no lease is trusted then until a renewal is answered. */
    void observe(Moment now) {
        if (sleepWatch.mayHaveSlept(now)) {
            sleepWatch.clear();
            for (Lease lease : new ArrayList<>(kept.values())) {
                suspect(lease, now);
                if (lease.validity.state() != LeaseState.SUSPECT) {
                    sleepWatch.include(lease.validity);
                }
            }
        }
    }

    void suspect(Lease lease, Moment now) {
        Validity validity = lease.validity;
        if (validity.state().isFinal() || validity.state() == LeaseState.SUSPECT || !validity.sleptBy(now)) {
            return;
        }
        lease.validity = validity.as(LeaseState.SUSPECT);
        lease.suspectSince = now.nanos();
        engine.outbox().tell(new LeaseEvent.Suspect(source(lease, now)));
        lease.asked = null;
        lease.renewAt = now.nanos();
        due.add(lease);
        reschedule(lease, now);
    }

    Instant expiresAt(Lease lease, Moment now) {
        long deadline = lease.validity.deadline();
        return deadline == Long.MAX_VALUE ? Instant.MAX : now.wallAfter(deadline - now.nanos());
    }

    LeaseEvent.Source source(Lease lease, Moment now) {
        LeaseRef ref = lease.ref();
        return engine.source(ref.key(), ref.nonce(), lease.owner(), ref.fence(), now);
    }
}
