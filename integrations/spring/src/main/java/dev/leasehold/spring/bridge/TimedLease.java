package dev.leasehold.spring.bridge;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.Subscription;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A lease for code that knows locks with a time: it is renewed until that time is over, and then given back although its
 * holder may still work. If the process dies before, the lease ends with its TTL, which is {@link #ttl shorter}.
 *
 * <p>Safe for use by many threads.
 */
public final class TimedLease {
    private final Leases leases;
    private final Lease lease;
    private final Subscription use;
    private final EndTimer timer;

    private long endNanos;
    private @Nullable Future<?> alarm;
    private boolean isEnded;
    private boolean wasLate;

    /**
     * Begins the time of a lease that was acquired.
     *
     * @param sentNanos when it was asked for, by the client's monotonic clock: its time counts from there
     * @param life how long it lives; {@link Micros#FOREVER} if it has no such time
     * @throws IllegalStateException if the timer is closed; the lease is given back then
     */
    public TimedLease(Leases leases, Lease lease, long sentNanos, Duration life, EndTimer timer) {
        this.leases = leases;
        this.lease = lease;
        this.timer = timer;
        this.use = lease.startUse();
        try {
            endAfter(sentNanos, life);
        } catch (RejectedExecutionException e) {
            end(Duration.ZERO);
            throw new IllegalStateException("The locks of this application are closed: key " + lease.key() + ".", e);
        }
    }

    /**
     * The TTL for a lock of this life: 30 s, or what the lock must outlive its holder's process by, but not longer than the
     * life and not shorter than the store can.
     */
    public static Duration ttl(LeaseStore store, Duration life, Duration atLeast) {
        Duration wanted = longer(LeaseOptions.DEFAULT_TTL, atLeast);
        return longer(store.shortestTtl(), wanted.compareTo(life) < 0 ? wanted : life);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    public Fence fence() {
        return lease.fence();
    }

    private synchronized void endAfter(long fromNanos, Duration life) {
        if (alarm != null) {
            alarm.cancel(false);
            alarm = null;
        }
        if (Micros.isForever(life)) {
            endNanos = Long.MAX_VALUE;
            return;
        }
        endNanos = fromNanos + life.toNanos();
        alarm = timer.schedule(
                this::endInTime, Duration.ofNanos(endNanos - leases.now().nanos()));
    }

    /** The holder's time is over; it may still work. */
    private void endInTime() {
        if (mayEnd(true)) {
            var unused = lease.releaseAsync();
        }
    }

    /** Ends it for whoever comes first: the timer or the holder. */
    private synchronized boolean mayEnd(boolean isLate) {
        if (isEnded) {
            return false;
        }
        isEnded = true;
        wasLate = isLate;
        if (alarm != null) {
            alarm.cancel(false);
        }
        use.close();
        return true;
    }

    private synchronized boolean isTimeOver() {
        return isEnded || leases.now().nanos() >= endNanos;
    }

    /**
     * Lets it live for this long from now. The store is asked.
     *
     * @return whether it does; if not, it is over
     * @throws dev.leasehold.lease.LeaseException if the store does not answer; the lease goes on as before
     */
    public boolean extend(Duration life) {
        long now = leases.now().nanos();
        if (isTimeOver()) {
            end(Duration.ZERO);
            return false;
        }
        try {
            lease.renew();
        } catch (LeaseLostException e) {
            end(Duration.ZERO);
            return false;
        }
        synchronized (this) {
            if (isEnded) {
                return false;
            }
            endAfter(now, life);
            return true;
        }
    }

    /**
     * Gives it back, unless that happened before, and keeps the key closed for this long.
     *
     * @return whether it was its holder's until now
     */
    public boolean end(Duration cooldown) {
        boolean isLate = isTimeOver();
        if (!mayEnd(isLate)) {
            return !wasLate();
        }
        ReleaseOutcome outcome = cooldown.isZero() ? lease.release() : lease.release(cooldown);
        boolean isLost = outcome == ReleaseOutcome.LOST;
        synchronized (this) {
            wasLate |= isLost;
        }
        return !isLate && !isLost;
    }

    private synchronized boolean wasLate() {
        return wasLate;
    }

    /** Whether another holder may have had the key since this lease was granted: its record does not show that none had. */
    public boolean mayHaveBeenTaken() {
        try {
            Optional<LeaseSnapshot> found = leases.store().find(lease.key());
            return found.isEmpty() || !found.get().record().fence().equals(lease.fence());
        } catch (StoreException e) {
            return true;
        }
    }
}
