package dev.leasehold.once;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.Moment;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Tenure;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Work that is done by one at a time, and after which its key stays closed for a while: for a button that people press
 * too often.
 *
 * <p>The cooldown is kept in the store and counted by its clock, so it is the same for all processes and outlives them.
 * It slides: it begins with each run, wherever that falls, and not with a fixed division of time. It begins however the
 * work ends, also if it fails. Only a runner that dies leaves none; its lease closes the key until its TTL is over.
 *
 * <p>Immutable. Safe for use by many threads.
 */
public final class Cooldown {
    private final Leases leases;
    private final Key key;
    private final Duration length;
    private final LeaseOptions options;
    private final boolean isFromStart;
    private final boolean isIgnored;

    private Cooldown(
            Leases leases, Key key, Duration length, LeaseOptions options, boolean isFromStart, boolean isIgnored) {
        if (length.isZero() || length.isNegative()) {
            throw new IllegalArgumentException("A cooldown must be positive, not " + length + ": key " + key + ".");
        }
        this.leases = leases;
        this.key = key;
        this.length = length;
        this.options = options;
        this.isFromStart = isFromStart;
        this.isIgnored = isIgnored;
    }

    /** A cooldown of this length, from the end of the work. Whoever finds the key held is refused at once. */
    public static Cooldown on(Leases leases, Key key, Duration length) {
        return new Cooldown(leases, key, length, LeaseOptions.noWait(), false, false);
    }

    /** Counted from the start of the work: nothing is left of it if the work takes longer. */
    public Cooldown fromStart() {
        return new Cooldown(leases, key, length, options, true, isIgnored);
    }

    /** For callers that do not respect the cooldown, such as a schedule. They respect the lease, and cool the key too. */
    public Cooldown ignored() {
        return new Cooldown(leases, key, length, options, isFromStart, true);
    }

    /** With another TTL or owner, or willing to wait for a holder. Nobody waits for a cooldown to end. */
    public Cooldown with(LeaseOptions other) {
        return new Cooldown(leases, key, length, other, isFromStart, isIgnored);
    }

    /**
     * Does the work unless somebody is at it or the key cools.
     *
     * @return {@link Outcome.Ran}, {@link Outcome.InProgress} or {@link Outcome.Cooling}; or {@link Outcome.Unrecorded}
     *     if the work was done and the cooldown is not known to have begun. No answer is kept
     * @throws X whatever the work throws
     * @throws InterruptedException if the thread is interrupted while it waits, as the options may want it to
     */
    public <R, X extends Exception> Outcome<R> run(Leases.Work<R, X> work) throws X, InterruptedException {
        Acquisition acquisition =
                leases.acquire(key, isIgnored ? options.ignoringCooldown() : options.refusedByCooldown());
        if (acquisition instanceof Acquisition.Refused refused) {
            if (refused.answer() instanceof AcquireResult.Held held) {
                return new Outcome.InProgress<>(held.owner(), held.fence(), held.heldFor(), held.remaining());
            }
            if (refused.answer() instanceof AcquireResult.Cooling cooling) {
                return new Outcome.Cooling<>(cooling.remaining());
            }
        }
        // Since the answer came and not since it was asked for, so that the cooldown is never too short.
        Moment start = leases.now();
        Lease lease = acquisition.orElseThrow();
        R value;
        try {
            value = lease.use(work);
        } catch (Throwable failure) {
            end(lease, start);
            throw failure;
        }
        ReleaseOutcome ended = end(lease, start);
        return ended == ReleaseOutcome.RELEASED
                ? new Outcome.Ran<>(value, lease.fence(), lease.attempt())
                : new Outcome.Unrecorded<>(value, lease.fence(), ended == ReleaseOutcome.LOST, false);
    }

    private ReleaseOutcome end(Lease lease, Moment start) {
        Duration spent = Duration.ofNanos(leases.now().nanos() - start.nanos());
        Duration left = isFromStart ? length.minus(spent) : length;
        return left.isNegative() ? lease.release() : lease.release(left);
    }

    /** Why the work would not be done now, with the time left: somebody is at it, or the key cools. Changes nothing. */
    public Optional<Outcome<Void>> peek() {
        return leases.store().find(key).map(this::peek);
    }

    private @Nullable Outcome<Void> peek(LeaseSnapshot found) {
        Tenure tenure = found.record().tenure();
        if (found.isHeld() && tenure != null) {
            return new Outcome.InProgress<>(tenure.owner(), found.record().fence(), found.heldFor(), found.remaining());
        }
        return found.record().isCooling(found.nowMicros()) && !isIgnored
                ? new Outcome.Cooling<>(found.remaining())
                : null;
    }
}
