package dev.leasehold.lease;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a lease is acquired and kept. Immutable; each {@code with…} gives a changed copy.
 *
 * <p>Essential: the {@link #withTtl TTL}, which bounds how long a dead holder blocks the others, and whether to wait
 * ({@link #noWait}, {@link #retrying}, {@link #waitFor}). Leases renew themselves, so the TTL need not cover the work.
 */
public final class LeaseOptions {
    /** How a call behaves while somebody else holds the key. */
    enum Waiting {
        NOT,
        RETRYING,
        IN_LINE
    }

    /** 30 s, renewed every third of it: a dead holder blocks the others for half a minute at most. */
    public static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

    /** No answer to one attempt for this long counts as none. */
    public static final Duration DEFAULT_ATTEMPT_LIMIT = Duration.ofSeconds(10);

    private static final LeaseOptions DEFAULTS = new LeaseOptions(new Draft());

    private final Duration ttl;
    private final Waiting waiting;
    private final Duration patience;
    private final RetryPolicy retry;
    private final @Nullable RetryPolicy renewalRetry;
    private final Duration attemptLimit;
    private final Duration lockDelay;
    private final @Nullable Duration chosenPeriod;
    private final Duration renewEvery;
    private final @Nullable Owner owner;
    private final @Nullable String fingerprint;
    private final boolean ignoresCooldown;
    private final boolean awaitsCooldown;
    private final boolean interruptsOnLoss;
    private final boolean areTimeOutsContention;
    private final Duration longestLife;
    private final boolean isRun;

    private LeaseOptions(Draft draft) {
        this.ttl = positive("The TTL", draft.ttl);
        if (ttl.compareTo(AcquireRequest.MAX_TTL) > 0) {
            throw new IllegalArgumentException("The TTL must be at most " + AcquireRequest.MAX_TTL.toDays()
                    + " days, not " + ttl + ". A lease is renewed while it is used, so a short TTL is enough.");
        }
        this.waiting = draft.waiting;
        this.patience = countable("The time to wait", draft.patience);
        this.retry = draft.retry;
        this.renewalRetry = draft.renewalRetry;
        this.attemptLimit =
                countable("The limit of an attempt", positive("The limit of an attempt", draft.attemptLimit));
        this.lockDelay = countable("The lock delay", draft.lockDelay);
        this.chosenPeriod = draft.chosenPeriod;
        this.renewEvery = chosenPeriod != null ? chosenPeriod : ttl.dividedBy(3);
        this.owner = draft.owner;
        this.fingerprint = draft.fingerprint;
        this.ignoresCooldown = draft.ignoresCooldown;
        this.awaitsCooldown = draft.awaitsCooldown;
        this.interruptsOnLoss = draft.interruptsOnLoss;
        this.areTimeOutsContention = draft.areTimeOutsContention;
        this.longestLife = countable("The longest life", positive("The longest life", draft.longestLife));
        this.isRun = draft.isRun;
        if (longestLife.compareTo(ttl) < 0) {
            throw new IllegalArgumentException("The longest life of " + longestLife + " is shorter than the TTL of "
                    + ttl + ": shorten the TTL as well.");
        }
        if (renewEvery.compareTo(ttl.multipliedBy(4).dividedBy(5)) > 0) {
            throw new IllegalArgumentException("Renewing every " + renewEvery
                    + " leaves no time for a second try before the TTL of " + ttl
                    + " is over; at most four fifths of it are allowed.");
        }
    }

    /** At most what can be counted in nanoseconds, so that "for ever" may be said in any way. */
    private static Duration countable(String what, Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException(what + " must not be negative: " + duration + ".");
        }
        return Micros.isForever(duration) ? Micros.FOREVER : duration;
    }

    private static Duration positive(String what, Duration duration) {
        if (duration.isZero() || duration.isNegative()) {
            throw new IllegalArgumentException(what + " must be positive, not " + duration + ".");
        }
        return duration;
    }

    /** A TTL of 30 s; a key that is held is asked for again by the default {@link RetryPolicy}. */
    public static LeaseOptions defaults() {
        return DEFAULTS;
    }

    /** A key that is held is refused at once. */
    public static LeaseOptions noWait() {
        return DEFAULTS.with(draft -> draft.waiting = Waiting.NOT);
    }

    /** A key that is held is asked for again by this policy; then it is refused. */
    public static LeaseOptions retrying(RetryPolicy policy) {
        return DEFAULTS.with(draft -> draft.retry = policy);
    }

    /** A key that is held is waited for, in line, for at most this long. */
    public static LeaseOptions waitFor(Duration longest) {
        return DEFAULTS.with(draft -> {
            draft.waiting = Waiting.IN_LINE;
            draft.patience = longest;
        });
    }

    LeaseOptions withoutWaiting() {
        return waiting == Waiting.NOT ? this : with(draft -> draft.waiting = Waiting.NOT);
    }

    /** The same for a call that waits in line for at most this long. */
    LeaseOptions inLineFor(Duration longest) {
        return with(draft -> {
            draft.waiting = Waiting.IN_LINE;
            draft.patience = longest;
        });
    }

    public LeaseOptions withTtl(Duration time) {
        return with(draft -> draft.ttl = time);
    }

    /** Who is said to hold it; by default the process and host. */
    public LeaseOptions withOwner(Owner label) {
        return with(draft -> draft.owner = label);
    }

    /** How to go on after an attempt that failed or was not answered; also between attempts to renew. */
    public LeaseOptions withRetry(RetryPolicy policy) {
        return with(draft -> draft.retry = policy);
    }

    /**
     * Sets the retries after a renewal that failed. When the attempts of the policy are used up, or the store says that
     * renewing cannot succeed, the lease is lost, although its time is not over. By default renewing is tried again by
     * the delays of {@link #withRetry} until the time of the lease runs out.
     */
    public LeaseOptions withRenewalRetry(RetryPolicy policy) {
        return with(draft -> draft.renewalRetry = policy);
    }

    /** No answer to one attempt for this long counts as none; default 10 s. */
    public LeaseOptions withAttemptLimit(Duration limit) {
        return with(draft -> draft.attemptLimit = limit);
    }

    /**
     * Sets the time of the renewal, counted from the last renewal; at most four fifths of the TTL. By default a third
     * of the TTL, and up to a tenth earlier by chance, so that many clients do not renew all at once.
     */
    public LeaseOptions withRenewEvery(Duration period) {
        return with(draft -> draft.chosenPeriod = positive("The renewal period", period));
    }

    /**
     * How much longer the key stays closed to this caller after a lease expired. For resources that cannot check a
     * fence: it gives a paused holder time to notice. Not longer than clients retain records, by default 7 days.
     */
    public LeaseOptions withLockDelay(Duration delay) {
        return with(draft -> draft.lockDelay = delay);
    }

    /** A cooldown left by the last release does not count. */
    public LeaseOptions ignoringCooldown() {
        return with(draft -> draft.ignoresCooldown = true);
    }

    /**
     * Refuses the call at once if the key is cooling down, even if the call would wait for a holder. By default it waits
     * for the cooldown to end.
     */
    public LeaseOptions refusedByCooldown() {
        return with(draft -> draft.awaitsCooldown = false);
    }

    /**
     * Counts an attempt that is not answered in time as contention: {@code lock:retry} has the reason {@code contended}. For
     * stores whose acquire may block while another holder has the key. By default the reason is {@code unavailable}.
     */
    public LeaseOptions countingTimeOutsAsContention() {
        return with(draft -> draft.areTimeOutsContention = true);
    }

    /** Work in the scoped form is interrupted when its lease is lost. */
    public LeaseOptions interruptingOnLoss() {
        return with(draft -> draft.interruptsOnLoss = true);
    }

    /** The request behind a run: a record of another request is refused. */
    public LeaseOptions withFingerprint(String print) {
        return with(draft -> draft.fingerprint = print);
    }

    /**
     * Renewals stop in time for the lease to end within this; its holder is told by the usual loss. So work that hangs
     * does not keep the key for ever. No limit unless set; not shorter than the TTL.
     */
    public LeaseOptions withLongestLife(Duration longest) {
        return with(draft -> draft.longestLife = longest);
    }

    /**
     * The lease is an attempt at a run, whose record must outlive it: when it is lost it is left to its TTL, so that
     * whoever takes over sees from whom; a call that gives up wipes nothing; and an answer is offered to the store for
     * as long as the store may take it.
     */
    public LeaseOptions forRun() {
        return with(draft -> draft.isRun = true);
    }

    public Duration ttl() {
        return ttl;
    }

    Waiting waiting() {
        return waiting;
    }

    Duration patience() {
        return patience;
    }

    RetryPolicy retry() {
        return retry;
    }

    Duration delayAfter(int failedRenewals) {
        return (renewalRetry == null ? retry : renewalRetry).delayAfter(failedRenewals);
    }

    /** Returns whether the lease is given up after so many renewals in a row that failed. */
    boolean isLostAfter(int failedRenewals) {
        return renewalRetry != null && failedRenewals >= renewalRetry.maxAttempts();
    }

    boolean isLostIfHopeless() {
        return renewalRetry != null;
    }

    Duration attemptLimit() {
        return attemptLimit;
    }

    Duration lockDelay() {
        return lockDelay;
    }

    Duration renewEvery() {
        return renewEvery;
    }

    boolean isPeriodChosen() {
        return chosenPeriod != null;
    }

    @Nullable
    Owner owner() {
        return owner;
    }

    @Nullable
    String fingerprint() {
        return fingerprint;
    }

    boolean ignoresCooldown() {
        return ignoresCooldown;
    }

    boolean awaitsCooldown() {
        return awaitsCooldown;
    }

    boolean interruptsOnLoss() {
        return interruptsOnLoss;
    }

    boolean areTimeOutsContention() {
        return areTimeOutsContention;
    }

    Duration longestLife() {
        return longestLife;
    }

    boolean isRun() {
        return isRun;
    }

    /** What becomes of the record when a lease is given back that nobody wants any more. */
    ReleaseRequest.Ending ending() {
        return isRun ? ReleaseRequest.Ending.KEEP_ATTEMPTS : ReleaseRequest.Ending.WIPE;
    }

    private LeaseOptions with(Consumer<Draft> change) {
        Draft draft = new Draft();
        draft.ttl = ttl;
        draft.waiting = waiting;
        draft.patience = patience;
        draft.retry = retry;
        draft.renewalRetry = renewalRetry;
        draft.attemptLimit = attemptLimit;
        draft.lockDelay = lockDelay;
        draft.chosenPeriod = chosenPeriod;
        draft.owner = owner;
        draft.fingerprint = fingerprint;
        draft.ignoresCooldown = ignoresCooldown;
        draft.awaitsCooldown = awaitsCooldown;
        draft.interruptsOnLoss = interruptsOnLoss;
        draft.areTimeOutsContention = areTimeOutsContention;
        draft.longestLife = longestLife;
        draft.isRun = isRun;
        change.accept(draft);
        return new LeaseOptions(draft);
    }

    private static final class Draft {
        private Duration ttl = DEFAULT_TTL;
        private Waiting waiting = Waiting.RETRYING;
        private Duration patience = Duration.ZERO;
        private RetryPolicy retry = RetryPolicy.DEFAULT;
        private @Nullable RetryPolicy renewalRetry;
        private Duration attemptLimit = DEFAULT_ATTEMPT_LIMIT;
        private Duration lockDelay = Duration.ZERO;
        private @Nullable Duration chosenPeriod;
        private @Nullable Owner owner;
        private @Nullable String fingerprint;
        private boolean ignoresCooldown;
        private boolean awaitsCooldown = true;
        private boolean interruptsOnLoss;
        private boolean areTimeOutsContention;
        private Duration longestLife = Micros.FOREVER;
        private boolean isRun;
    }
}
