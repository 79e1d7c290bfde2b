package dev.leasehold.lease;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.Uninterrupted;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A lease as a {@link Lock} of the JDK, for code that takes one. It excludes the threads of all processes on the store.
 *
 * <p>It is held by a thread, which may lock it again and unlocks it as often. New code is better off with {@link
 * Leases#with}: a lease has no thread, tells of its loss, and carries a fence. What a {@code Lock} of the JDK promises and
 * this one cannot:
 *
 * <ul>
 *   <li><b>A held lock can be lost</b>, if the store does not answer for long or the process was suspended. {@code Lock} has
 *       no way to say so while it is held: ask {@link #lease} for {@link Lease#ensure} and the {@link Lease#fence}. {@link
 *       #unlock} throws {@link LeaseLostException} if nothing has told the holder before.
 *   <li><b>{@link #lock}, {@link #tryLock()} and the others throw {@link LeaseException}</b> if the store does not answer.
 *       No lock is held then.
 *   <li><b>A thread that ends without unlocking leaves the lock held</b>, and renewed, until the client is closed, unless the
 *       options say {@link LeaseOptions#withLongestLife}.
 *   <li><b>Only the same object can be locked again by its holder.</b> Two of one key exclude each other, also in one thread.
 *   <li><b>There are no conditions.</b>
 * </ul>
 *
 * <p>{@code lock} and {@code lockInterruptibly} wait in line without end. Safe for use by many threads.
 */
public final class LeaseLock implements Lock {
    private final Leases leases;
    private final Key key;
    private final LeaseOptions options;
    /** What each thread has; a thread changes its own alone. */
    private final Map<Thread, Hold> holds = new ConcurrentHashMap<>();

    /** What one thread has. */
    private static final class Hold {
        private final Lease lease;
        private final Subscription use;
        private int count = 1;

        Hold(Lease lease, Subscription use) {
            this.lease = lease;
            this.use = use;
        }
    }

    private LeaseLock(Leases leases, Key key, LeaseOptions options) {
        this.leases = leases;
        this.key = key;
        this.options = options;
    }

    /** A lock on this key with the usual TTL. */
    public static LeaseLock on(Leases leases, Key key) {
        return on(leases, key, LeaseOptions.defaults());
    }

    /** A lock on this key; what the options say of waiting does not count. */
    public static LeaseLock on(Leases leases, Key key, LeaseOptions options) {
        return new LeaseLock(leases, key, options);
    }

    public Key key() {
        return key;
    }

    /** The lease of the current thread; empty if that does not hold the lock. */
    public Optional<Lease> lease() {
        Hold hold = holds.get(Thread.currentThread());
        return hold == null ? Optional.empty() : Optional.of(hold.lease);
    }

    /**
     * Waits for the lock, without end; an interrupt is kept for later.
     *
     * @throws LeaseLostException if this thread holds it already and has lost it
     * @throws LeaseException if the store does not answer
     */
    @Override
    public void lock() {
        Uninterrupted.<Boolean, RuntimeException>await(() -> {
            lockInterruptibly();
            return true;
        });
    }

    /** The same, unless the thread is interrupted; it does not hold the lock then. */
    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!isEnteredAgain()) {
            keep(leases.acquire(key, options.inLineFor(Micros.FOREVER)).orElseThrow());
        }
    }

    /**
     * Locks if nobody holds it, and does not wait.
     *
     * @throws LeaseLostException if this thread holds it already and has lost it
     * @throws LeaseException if the store does not answer, or the user's own record does not exist
     */
    @Override
    public boolean tryLock() {
        return isEnteredAgain() || keptIfAcquired(leases.tryAcquire(key, options));
    }

    /** The same, after waiting in line for at most this long. */
    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (time <= 0) {
            return tryLock();
        }
        return isEnteredAgain() || isLockedWithin(Duration.ofNanos(unit.toNanos(time)));
    }

    private boolean isLockedWithin(Duration longest) throws InterruptedException {
        try {
            return keptIfAcquired(leases.acquire(key, options.inLineFor(longest)));
        } catch (LeaseException e) {
            if (e.isRefusal()) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Unlocks it, if this was the last of this thread's locks.
     *
     * @throws IllegalMonitorStateException if this thread does not hold it
     * @throws LeaseLostException if it was lost before: another holder may have worked at the same time
     */
    @Override
    public void unlock() {
        Hold hold = holds.get(Thread.currentThread());
        if (hold == null) {
            throw new IllegalMonitorStateException("This thread does not own the lock on " + key + ".");
        }
        if (--hold.count == 0) {
            holds.remove(Thread.currentThread());
            hold.use.close();
            hold.lease.close();
        }
    }

    /** Not supported. */
    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A lock on a store has no conditions: key " + key + ".");
    }

    private boolean isEnteredAgain() {
        Hold hold = holds.get(Thread.currentThread());
        if (hold == null) {
            return false;
        }
        hold.lease.ensure();
        hold.count++;
        return true;
    }

    private boolean keptIfAcquired(Acquisition acquisition) {
        if (acquisition instanceof Acquisition.Refused refused) {
            if (refused.answer() instanceof AcquireResult.Missing) {
                throw refused.toException();
            }
            return false;
        }
        keep(acquisition.orElseThrow());
        return true;
    }

    /** Closing the client leaves the lease to its holder from now on. */
    private void keep(Lease lease) {
        Subscription use = lease.startUse();
        holds.put(Thread.currentThread(), new Hold(lease, use));
    }

    @Override
    public String toString() {
        return "lock on " + key;
    }
}
