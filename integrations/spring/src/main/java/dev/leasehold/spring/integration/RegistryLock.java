package dev.leasehold.spring.integration;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.spring.bridge.TimedLease;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Uninterrupted;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * One key of a registry. Each thread that holds it has a lease of its own, so that the store alone excludes, within a process
 * too.
 */
final class RegistryLock implements DistributedLock {
    private final LeaseLockRegistry registry;
    private final Key key;
    /** What each thread has; a thread changes its own alone. */
    private final Map<Thread, Hold> holds = new ConcurrentHashMap<>();

    private final AtomicInteger users = new AtomicInteger();
    private volatile long lastUsedMillis;

    /** What one thread has. */
    private static final class Hold {
        private TimedLease lease;
        private int count = 1;
        private boolean mayBeTaken;

        Hold(TimedLease lease) {
            this.lease = lease;
        }
    }

    /** A way to acquire the lease. */
    private interface Acquire<X extends Exception> {
        Acquisition acquire(LeaseOptions options) throws X;
    }

    RegistryLock(LeaseLockRegistry registry, Key key) {
        this.registry = registry;
        this.key = key;
        this.lastUsedMillis = System.currentTimeMillis();
    }

    Key key() {
        return key;
    }

    /** Whether a thread holds it or asks for it. */
    boolean isInUse() {
        return users.get() > 0;
    }

    long lastUsedMillis() {
        return lastUsedMillis;
    }

    @Override
    public void lock() {
        lock(registry.timeToLive());
    }

    @Override
    public void lock(Duration ttl) {
        Uninterrupted.<Boolean, RuntimeException>await(() -> isLocked(ttl, this::inLine));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        boolean unused = isLocked(registry.timeToLive(), this::inLine);
    }

    private Acquisition inLine(LeaseOptions options) throws InterruptedException {
        Acquisition acquisition = registry.leases().acquire(key, options);
        var unused = acquisition.orElseThrow(); // Its wait has no end.
        return acquisition;
    }

    @Override
    public boolean tryLock() {
        return isLocked(registry.timeToLive(), options -> registry.leases().tryAcquire(key, options));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLock(Duration.ofNanos(unit.toNanos(time)), registry.timeToLive());
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (waitTime.isZero() || waitTime.isNegative()) {
            return isLocked(ttl, options -> registry.leases().tryAcquire(key, options));
        }
        try {
            return isLocked(ttl, options -> registry.leases().acquire(key, waiting(options, waitTime)));
        } catch (LeaseException e) {
            if (e.isRefusal()) {
                return false;
            }
            throw e;
        }
    }

    private static LeaseOptions waiting(LeaseOptions options, Duration longest) {
        return LeaseOptions.waitFor(longest).withTtl(options.ttl());
    }

    /** Enters again, or acquires a lease: also for a holder whose lease is over. */
    private <X extends Exception> boolean isLocked(Duration ttl, Acquire<X> how) throws X {
        Hold hold = holds.get(Thread.currentThread());
        if (hold != null && hold.lease.extend(registry.life(ttl))) {
            hold.count++;
            return true;
        }
        users.incrementAndGet();
        registry.keep(this);
        TimedLease lease = null;
        try {
            if (hold != null) {
                hold.mayBeTaken |= hold.lease.mayHaveBeenTaken();
            }
            lease = acquired(ttl, how).orElse(null);
        } finally {
            if (lease == null || hold != null) {
                users.decrementAndGet();
            }
        }
        if (lease == null) {
            return false;
        }
        lastUsedMillis = System.currentTimeMillis();
        if (hold == null) {
            holds.put(Thread.currentThread(), new Hold(lease));
        } else {
            hold.lease = lease;
            hold.count++;
        }
        return true;
    }

    private <X extends Exception> Optional<TimedLease> acquired(Duration ttl, Acquire<X> how) throws X {
        LeaseOptions options = LeaseOptions.waitFor(Micros.FOREVER).withTtl(registry.leaseTtl(ttl));
        Acquisition acquisition = how.acquire(options);
        long granted = registry.leases().now().nanos();
        return acquisition.toOptional().map(lease -> registry.timed(lease, granted, ttl));
    }

    /** Lets the lock of this thread live for another such time. */
    void renew(Duration ttl) {
        Hold hold = holds.get(Thread.currentThread());
        if (hold == null) {
            throw notOwned();
        }
        if (!hold.lease.extend(registry.life(ttl))) {
            throw new IllegalStateException("The lock on " + key + " expired before it was renewed. Stop the work under"
                    + " it, and lock again.");
        }
    }

    @Override
    public void unlock() {
        Hold hold = holds.get(Thread.currentThread());
        if (hold == null) {
            throw notOwned();
        }
        if (--hold.count > 0) {
            return;
        }
        holds.remove(Thread.currentThread());
        try {
            boolean wasHeld = hold.lease.end(Duration.ZERO);
            if (hold.mayBeTaken || (!wasHeld && hold.lease.mayHaveBeenTaken())) {
                throw new ConcurrentModificationException("The lock on " + key + " expired before it was unlocked, and"
                        + " another holder may have had it since. Check what the work under it changed; its fence was "
                        + hold.lease.fence() + ".");
            }
        } finally {
            users.decrementAndGet();
        }
    }

    private IllegalMonitorStateException notOwned() {
        return new IllegalMonitorStateException("This thread does not own the lock on " + key + ".");
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A lock on a store has no conditions: key " + key + ".");
    }

    @Override
    public String toString() {
        return "lock on " + key;
    }
}
