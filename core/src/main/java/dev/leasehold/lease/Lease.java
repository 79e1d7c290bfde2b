package dev.leasehold.lease;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.Uninterrupted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lease that was granted: the right to work on its key, for now.
 *
 * <p>It renews itself until it is released, settled or lost. Work that changes something asks {@link #ensure} before,
 * and hands the {@link #fence} to whatever it changes. A lease is not bound to a thread: any thread may use or release
 * it. Once lost it never comes back.
 */
public final class Lease implements AutoCloseable {
    final LeaseOptions options;
    /**
     * The TTL by which it is kept: the smallest that the store may have, now or after a request that is still on its
     * way.
     */
    long ttlNanos;

    final StoreTtls ttls;

    final Agenda.Item item;
    volatile Validity validity = new Validity(LeaseState.HELD, Long.MAX_VALUE, 0, 0);
    long renewAt = Long.MAX_VALUE;
    long atRiskAt = Long.MAX_VALUE;
    long suspectSince;
    /** When it ends whatever the store says. */
    long endAt = Long.MAX_VALUE;

    int failures;
    /** The number of the last checkpoint. */
    int checkpoints;

    /** How many may be renewed in one request with it: few after a failure, so that one does not drag down others. */
    int company = Integer.MAX_VALUE;

    /** The number of requests to end the run with an answer that are not decided yet. */
    int settling;

    boolean isToldEnded;
    /** True if release() returned UNKNOWN and no later try was confirmed. */
    boolean isEndUnknown;
    /** True if work runs under it in the scoped form, which ends in released or cleanup-warning even after a loss. */
    boolean isScoped;
    /** True if its holder gave it up and wants the record left to its TTL. */
    boolean isAbandoned;
    /** True if closing the client released it. Its holder sees that as a loss. */
    boolean isTakenAway;
    /** Whether the store may still have the record of this lost lease, to be given back once the work is over. */
    boolean mayBeOurs;

    Renewals.@Nullable RenewAsk asked;
    /** The renewal under way that the holder asked for, without a TTL. */
    Renewals.@Nullable ManualAsk manual;
    /** The last request for a TTL, while it is under way. */
    Renewals.@Nullable ManualAsk ttlAsk;

    private final LeaseRef ref;
    private final Owner owner;
    private final String backend;
    private final Instant acquiredAt;
    private final AcquireResult.Granted granted;
    private final Renewals renewals;
    private final Leases leases;
    private final List<Consumer<String>> lossListeners = new ArrayList<>();
    private @Nullable String whyLost;
    /** True if a call of the holder has told it of the loss, so that closing need not. */
    private volatile boolean isLossTold;

    private int uses;

    Lease(Call call, LeaseRef ref, AcquireResult.Granted granted, Renewals renewals, Moment now) {
        this.options = call.options;
        this.ttlNanos = call.options.ttl().toNanos();
        this.ttls = new StoreTtls(ttlNanos);
        this.ref = ref;
        this.owner = call.owner;
        this.leases = call.leases;
        this.backend = call.leases.backend();
        this.acquiredAt = now.wall();
        this.granted = granted;
        this.renewals = renewals;
        this.item = new Agenda.Item() {
            @Override
            void due(Moment moment) {
                renewals.due(Lease.this, moment);
            }
        };
    }

    /** Names the lease in events, logs and history. */
    public String id() {
        return ref.nonce().name();
    }

    public Key key() {
        return ref.key();
    }

    /** Larger than the fence of every earlier lease of the key. Give it to whatever the work changes. */
    public Fence fence() {
        return ref.fence();
    }

    /** What the store compares: for whoever renews, settles or guards a transaction by other means. */
    public LeaseRef ref() {
        return ref;
    }

    public Owner owner() {
        return owner;
    }

    /** The name of the store that granted it. */
    public String backend() {
        return backend;
    }

    public Instant acquiredAt() {
        return acquiredAt;
    }

    /** When it ends unless renewed, as this process's wall clock would show it; {@link Instant#MAX} if never. */
    public Instant expiresAt() {
        return renewals.expiresAt(this, leases.now());
    }

    /** Returns whether the store keeps it until it is released or its process dies. */
    boolean neverExpires() {
        return Micros.isForever(granted.remaining());
    }

    /** How long it is valid still unless renewed; zero if it is not. */
    public Duration remaining() {
        Moment now = leases.now();
        Validity present = validity;
        return present.holdsAt(now) ? Duration.ofNanos(present.deadline() - now.nanos()) : Duration.ZERO;
    }

    /** How many leases the key saw since it was last settled or freely released, with this one. */
    public int attempt() {
        return granted.attempt();
    }

    /** The holder that let it expire, if it was taken over from one. */
    public Optional<Predecessor> predecessor() {
        return Optional.ofNullable(granted.predecessor());
    }

    /** What an earlier attempt at the same run left behind with {@link #checkpoint(Payload)}. */
    public Optional<Payload> checkpoint() {
        return Optional.ofNullable(granted.checkpoint());
    }

    /** The fields of the user's own record as they were when the lease was granted; empty for Leasehold's own records. */
    public Optional<Fields> fields() {
        return Optional.ofNullable(granted.fields());
    }

    public LeaseState state() {
        return validity.state();
    }

    /** Whether the work may go on, by this process's own clock: no store is asked. */
    public boolean isValid() {
        return isValidAt(leases.now());
    }

    boolean isValidAt(Moment now) {
        return validity.holdsAt(now);
    }

    /**
     * Returns if the work may go on. Cheap enough to be asked before every change: two clocks are read. Only if this
     * process was suspended meanwhile, the store is asked first.
     *
     * @throws LeaseLostException if the lease is lost, released or settled
     * @throws LeaseException with code {@code lock-renewal-failed} if that is unknown: the store does not answer, or the
     *     clock of this process is set time and again. The work must not go on until a later call returns.
     */
    public void ensure() {
        if (!isValid()) {
            leases.confirm(this);
        }
    }

    /**
     * Renews it now, although that happens by itself.
     *
     * @return when it ends unless renewed again
     * @throws LeaseLostException if it is not ours any more
     * @throws LeaseException with code {@code lock-renewal-failed} if the store does not answer; the lease goes on and
     *     is renewed in the background
     */
    public Instant renew() {
        leases.renew(this, null);
        return expiresAt();
    }

    /**
     * Renews it now with another TTL, which counts from then on, for the renewals that happen by themselves too. A lease
     * that never expires stays as it is. Every store can do it, but for rows of the user's own whose mapping fixes the TTL:
     * these refuse, the exception is not retryable, and the lease keeps its TTL.
     *
     * @return when it ends unless renewed again
     * @throws IllegalArgumentException if no lease can have this TTL, or if it is longer than what is left of the
     *     {@linkplain LeaseOptions#withLongestLife longest life}
     * @throws LeaseLostException if it is not ours any more
     * @throws LeaseException with code {@code lock-renewal-failed} if the store does not answer, or refuses to change a TTL
     */
    public Instant renew(Duration ttl) {
        leases.renew(this, ttl);
        return expiresAt();
    }

    /** The same as {@link #renew()}, without waiting for the store. */
    public CompletableFuture<Instant> renewAsync() {
        return leases.renewAsync(this, null);
    }

    /** The same as {@link #renew(Duration)}, without waiting for the store. */
    public CompletableFuture<Instant> renewAsync(Duration ttl) {
        return leases.renewAsync(this, ttl);
    }

    /**
     * Calls back once when the lease is lost, with the reason; at once if it already is. Not if it was released. The
     * callback runs on a thread of ours and may block.
     */
    public void onLost(Consumer<String> listener) {
        String why;
        synchronized (lossListeners) {
            why = whyLost;
            if (why == null) {
                lossListeners.add(listener);
                return;
            }
        }
        leases.callBack(() -> listener.accept(why));
    }

    private void forget(Consumer<String> listener) {
        synchronized (lossListeners) {
            lossListeners.remove(listener);
        }
    }

    void tellLost(String why) {
        List<Consumer<String>> told;
        synchronized (lossListeners) {
            whyLost = why;
            told = List.copyOf(lossListeners);
        }
        told.forEach(listener -> leases.callBack(() -> listener.accept(why)));
    }

    /**
     * Gives it back. A second time nothing happens. Once it is lost, returns {@link ReleaseOutcome#LOST}; a record that is
     * still this lease's is given back. The same if closing the client has given it back before. Never throws for the
     * store's sake.
     */
    public ReleaseOutcome release() {
        return leases.await(releaseWith(ReleaseRequest.of(ref), true));
    }

    /** Gives it back and keeps the key closed for a while to all who respect a cooldown. */
    public ReleaseOutcome release(Duration cooldown) {
        return leases.await(releaseWith(ReleaseRequest.of(ref).withCooldown(cooldown), true));
    }

    /** Gives back a run that failed and may be tried again: its attempts, fingerprint and checkpoint stay. */
    public ReleaseOutcome releaseForRetry() {
        ReleaseRequest request = ReleaseRequest.of(ref).withEnding(ReleaseRequest.Ending.KEEP_ATTEMPTS);
        return leases.await(releaseWith(request, true));
    }

    /** Gives it back without waiting for the store. The lease is invalid from now on. */
    public CompletableFuture<ReleaseOutcome> releaseAsync() {
        return leases.handedOut(releaseWith(ReleaseRequest.of(ref), false));
    }

    /** The same as {@link #releaseForRetry}, without waiting for the store. */
    public CompletableFuture<ReleaseOutcome> releaseForRetryAsync() {
        ReleaseRequest request = ReleaseRequest.of(ref).withEnding(ReleaseRequest.Ending.KEEP_ATTEMPTS);
        return leases.handedOut(releaseWith(request, false));
    }

    private CompletableFuture<ReleaseOutcome> releaseWith(ReleaseRequest request, boolean onThisThread) {
        markLossTold(); // Its outcome tells.
        CompletableFuture<ReleaseOutcome> result = new CompletableFuture<>();
        leases.step((engine, now) -> engine.endings.release(this, request, result, now), onThisThread ? this : null);
        return result;
    }

    /**
     * Ends the run with an answer that is kept for whoever asks again.
     *
     * @return whether it was recorded; if not, the lease is lost
     * @throws dev.leasehold.store.StoreException if the store did not answer: whether it was recorded is unknown
     */
    public SettleResult settle(Settlement settlement) {
        return leases.await(settleWith(settlement, true));
    }

    /** The same as {@link #settle}, without waiting for the store. */
    public CompletableFuture<SettleResult> settleAsync(Settlement settlement) {
        return leases.handedOut(settleWith(settlement, false));
    }

    private CompletableFuture<SettleResult> settleWith(Settlement settlement, boolean onThisThread) {
        if (!settlement.isCheckpoint()) {
            markLossTold(); // Its result tells.
        }
        CompletableFuture<SettleResult> result = new CompletableFuture<>();
        leases.step((engine, now) -> engine.endings.settle(this, settlement, result, now), onThisThread ? this : null);
        return result;
    }

    /** Says that the run was settled by other means, such as a transaction of the holder's own. The lease ends. */
    public void settledElsewhere() {
        leases.stepAndTell((engine, now) -> engine.endings.settled(this, null, now));
    }

    /**
     * Keeps how far the work got, for whoever has to take over. The lease goes on. A request that reaches the store late
     * never replaces the checkpoint of a later call.
     */
    public SettleResult checkpoint(Payload progress) {
        return settle(Settlement.checkpoint(progress));
    }

    /**
     * Gives it back at the end of a try block, and does not let a loss pass unnoticed.
     *
     * <p>Returns quietly if the holder knows already: {@link #ensure} or {@link #renew} threw, or it was released, settled
     * or abandoned by a call. To decide for yourself, call {@link #release()} last: its outcome tells and closing does
     * nothing then.
     *
     * @throws LeaseLostException if the lease was lost, or closing the client gave it back: another holder may have worked
     *     at the same time. After a body that threw, it is suppressed in what the body threw
     */
    @Override
    public void close() {
        boolean wasLossTold = isLossTold;
        if (isLost(release()) && !wasLossTold) {
            throw untoldLoss();
        }
    }

    /** The same as {@link #close}, without waiting for the store. The future is null, or a loss that nothing has told. */
    CompletableFuture<@Nullable LeaseLostException> closeAsync() {
        boolean wasLossTold = isLossTold;
        return releaseAsync().thenApply(outcome -> isLost(outcome) && !wasLossTold ? untoldLoss() : null);
    }

    /** Whether the lease was lost before its release. If the store did not answer that, the outcome does not tell. */
    private boolean isLost(ReleaseOutcome outcome) {
        return outcome == ReleaseOutcome.LOST || state() == LeaseState.LOST;
    }

    private LeaseLostException untoldLoss() {
        return new LeaseLostException(
                key(),
                "The lease on " + key() + " was lost before its work ended (" + whyLost()
                        + "): another holder may have worked at the same time. Check what the work changed; the"
                        + " fence of this lease was " + fence() + ".");
    }

    void markLossTold() {
        isLossTold = true;
    }

    private String whyLost() {
        synchronized (lossListeners) {
            String usual = isTakenAway ? "the client was closed" : "another holder had it";
            return whyLost == null ? usual : whyLost;
        }
    }

    /** The end of a lease in words, to follow its key. */
    String howItEnded() {
        LeaseState state = state();
        if (state == LeaseState.SETTLED) {
            return "has ended with its answer";
        }
        if (state == LeaseState.RELEASED) {
            return isTakenAway ? "was released because the client was closed" : "was released by its holder";
        }
        synchronized (lossListeners) {
            return whyLost == null ? "was lost" : "was lost: " + whyLost;
        }
    }

    /** Gives up on it without giving it back: it is lost from now on, and the record is left to its TTL. */
    public void abandon(String why) {
        markLossTold();
        leases.stepAndTell((engine, now) -> {
            isAbandoned = true;
            engine.renewals.abandon(this, why, now);
        });
    }

    /**
     * Work under the lease begins, until what is returned is closed: closing the client leaves the lease to it.
     *
     * @throws LeaseLostException if the lease has ended and no other work runs under it; the work must not begin then
     */
    public Subscription startUse() {
        leases.startUse(this);
        AtomicBoolean isOver = new AtomicBoolean();
        return () -> {
            if (isOver.compareAndSet(false, true)) {
                synchronized (lossListeners) {
                    uses--;
                }
            }
        };
    }

    /**
     * Runs work under the lease. While it runs, closing the client does not give the lease back; and if the options say
     * so, the thread is interrupted when the lease is lost.
     *
     * @throws LeaseLostException if the lease has ended already; the work is not begun then
     */
    public <T extends @Nullable Object, X extends Exception> T use(Leases.Work<T, X> work) throws X {
        Subscription use = startUse();
        Interruption interruption = new Interruption(options.interruptsOnLoss());
        try {
            return work.run(this);
        } finally {
            interruption.end();
            use.close();
        }
    }

    /**
     * Runs work under the lease and always gives it back. The last event is released or cleanup-warning then, although
     * the lease was lost.
     */
    <T extends @Nullable Object, X extends Exception> T useAndClose(Leases.Work<T, X> work) throws X {
        isScoped = true;
        try (Lease self = this) {
            return self.use(work);
        }
    }

    /** Counts one more use, unless the lease has ended. Called inside a step, as all that ends a lease is. */
    boolean tryBeginUse() {
        synchronized (lossListeners) {
            boolean mayBegin = uses > 0 || !state().isFinal();
            uses += mayBegin ? 1 : 0;
            return mayBegin;
        }
    }

    boolean isInUse() {
        synchronized (lossListeners) {
            return uses > 0;
        }
    }

    @Override
    public String toString() {
        return "lease on " + key() + ", fence " + fence() + ", " + state();
    }

    /** Interrupts the working thread when the lease is lost, and never after the work has ended. */
    private final class Interruption implements Consumer<String> {
        private final Thread worker = Thread.currentThread();
        private boolean isOver;
        private boolean wasSent;

        Interruption(boolean isWanted) {
            if (isWanted) {
                onLost(this);
            }
        }

        /** A thread that is interrupted already needs no other interrupt, and keeps the one that it has. */
        @Override
        public synchronized void accept(String why) {
            if (!isOver && Uninterrupted.interrupt(worker)) {
                wasSent = true;
            }
        }

        private synchronized void end() {
            isOver = true;
            forget(this);
            if (wasSent) {
                // Ours, and done with: it must not hit whatever the thread does next.
                Thread.interrupted();
            }
        }
    }
}
