package dev.leasehold.spring.integration;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.Leases;
import dev.leasehold.once.KeyParts;
import dev.leasehold.spring.bridge.EndTimer;
import dev.leasehold.spring.bridge.TimedLease;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.scheduling.TaskScheduler;

/**
 * Spring Integration's locks on Leasehold's store, in place of {@code JdbcLockRegistry} or {@code RedisLockRegistry}.
 *
 * <p>A lock is held by a thread, which may lock it again. It expires after its time to live, 10 s unless set, although its
 * holder may still work, and is renewed by {@link #renewLock}; after {@link #setRenewalTaskScheduler} it is renewed until it
 * is unlocked. If its process dies, it is free after at most 30 s, even if its time to live is longer. It excludes the threads
 * of one process by the store too, so its time to live counts there as well.
 *
 * <p>{@code unlock} throws {@link java.util.ConcurrentModificationException} if the lock expired and the store does not show
 * that nobody had it since; and {@link IllegalMonitorStateException} if the thread does not own the lock. Locking throws
 * {@link dev.leasehold.lease.LeaseException} if the store does not answer.
 *
 * <p>The lock for a key is the same object as long as it is in use; of the others it remembers so many, see {@link
 * #setCacheCapacity}. Safe for use by many threads. Closing it does not close the client.
 */
public final class LeaseLockRegistry
        implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock>, AutoCloseable {
    /** What the keys of all locks begin with, unless another region is chosen. */
    public static final String DEFAULT_REGION = "spring-integration";

    /** As in the other registries. */
    public static final Duration DEFAULT_TIME_TO_LIVE = Duration.ofSeconds(10);

    private static final int DEFAULT_CAPACITY = 100_000;

    private final Leases leases;
    private final String region;
    private final Duration timeToLive;
    private final EndTimer timer = new EndTimer("leasehold-lock-registry");
    /** Guarded by itself; the least recently obtained first. */
    private final Map<Key, RegistryLock> locks = new LinkedHashMap<>(16, 0.75f, true);

    private volatile boolean isRenewing;
    private int capacity = DEFAULT_CAPACITY;

    /** Locks of this client, which stays the caller's, with the usual region and time to live. */
    public LeaseLockRegistry(Leases leases) {
        this(leases, DEFAULT_REGION, DEFAULT_TIME_TO_LIVE);
    }

    /** Locks with keys {@code region/…}, of this time to live. */
    public LeaseLockRegistry(Leases leases, String region, Duration timeToLive) {
        if (timeToLive.isZero() || timeToLive.isNegative()) {
            throw new IllegalArgumentException("The time to live must be positive, not " + timeToLive + ".");
        }
        this.leases = leases;
        this.region = region;
        this.timeToLive = timeToLive;
    }

    /**
     * The lock for this key.
     *
     * @throws IllegalArgumentException if the key is no string
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        Key key = keyOf(lockKey);
        synchronized (locks) {
            RegistryLock lock = locks.computeIfAbsent(key, it -> new RegistryLock(this, it));
            forgetSurplus();
            return lock;
        }
    }

    /** Keys may be any text: what a key of ours cannot be stands there as a digest. */
    private Key keyOf(Object lockKey) {
        if (!(lockKey instanceof String text)) {
            throw new IllegalArgumentException("The key of a lock must be a string, not " + lockKey + ".");
        }
        boolean isFit = text.codePoints()
                .noneMatch(point -> Character.isISOControl(point) || Character.getType(point) == Character.SURROGATE);
        String part = isFit ? text : "~" + UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_16BE));
        return KeyParts.join(region, part);
    }

    /** A lock that is about to be used is remembered, even if it was forgotten since it was obtained. */
    void keep(RegistryLock lock) {
        synchronized (locks) {
            locks.putIfAbsent(lock.key(), lock);
        }
    }

    /** Guarded by the locks. One that is in use is never forgotten, so there may be more than the capacity. */
    private void forgetSurplus() {
        Iterator<RegistryLock> oldest = locks.values().iterator();
        for (int surplus = locks.size() - capacity; surplus > 0 && oldest.hasNext(); ) {
            if (!oldest.next().isInUse() && oldest.hasNext()) {
                oldest.remove();
                surplus--;
            }
        }
    }

    /** How many locks are remembered. */
    int size() {
        synchronized (locks) {
            return locks.size();
        }
    }

    /** How many locks are remembered that nobody uses; 100,000 unless set. */
    public void setCacheCapacity(int most) {
        synchronized (locks) {
            this.capacity = most;
        }
    }

    /** Forgets the locks that were locked last longer ago than this and that nobody uses. */
    @Override
    public void expireUnusedOlderThan(long age) {
        long now = System.currentTimeMillis();
        synchronized (locks) {
            locks.values().removeIf(lock -> !lock.isInUse() && now - lock.lastUsedMillis() > age);
        }
    }

    /**
     * Lets the lock live for another time to live from now.
     *
     * @throws IllegalMonitorStateException if this thread does not own it
     * @throws IllegalStateException if it expired before
     */
    @Override
    public void renewLock(Object lockKey) {
        renewLock(lockKey, timeToLive);
    }

    /** Lets the lock live for this long from now. */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        Key key = keyOf(lockKey);
        RegistryLock lock;
        synchronized (locks) {
            lock = locks.get(key);
        }
        if (lock == null) {
            throw new IllegalStateException("There is no lock on " + key + " here that could be renewed.");
        }
        lock.renew(ttl);
    }

    /** From now on locks are renewed until they are unlocked. The scheduler is not used: the client renews its leases. */
    @Override
    public void setRenewalTaskScheduler(TaskScheduler renewalTaskScheduler) {
        this.isRenewing = true;
    }

    /** Stops ending locks by time. They end with their TTL once the client is closed. */
    @Override
    public void close() {
        timer.close();
    }

    Leases leases() {
        return leases;
    }

    Duration timeToLive() {
        return timeToLive;
    }

    Duration life(Duration ttl) {
        return isRenewing ? Micros.FOREVER : ttl;
    }

    Duration leaseTtl(Duration ttl) {
        return TimedLease.ttl(leases.store(), ttl, Duration.ZERO);
    }

    TimedLease timed(Lease lease, long sentNanos, Duration ttl) {
        return new TimedLease(leases, lease, sentNanos, life(ttl), timer);
    }
}
