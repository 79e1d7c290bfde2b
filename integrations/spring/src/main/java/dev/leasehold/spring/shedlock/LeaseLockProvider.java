package dev.leasehold.spring.shedlock;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.spring.bridge.EndTimer;
import dev.leasehold.spring.bridge.TimedLease;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * ShedLock on Leasehold's store: {@code @SchedulerLock} and {@code LockingTaskExecutor} stay as they are.
 *
 * <p>The lock's name is the key. The lock is renewed until {@code lockAtMostFor} is over and is then given back, as it is in
 * ShedLock, although the task may still run. If the process dies, the lock is free after 30 s, or after {@code
 * lockAtLeastFor} if that is longer, and at the latest after {@code lockAtMostFor}. An unlock gives back its own lock and
 * nobody else's, whichever host it comes from. Only the store's clock and this process's monotonic one count.
 *
 * <p>Each lock has a fence, but ShedLock's tasks cannot see it: work that needs one takes a lease.
 *
 * <p>Safe for use by many threads. Closing it does not close the client.
 */
public final class LeaseLockProvider implements ExtensibleLockProvider, AutoCloseable {
    private final Leases leases;
    private final EndTimer timer = new EndTimer("leasehold-shedlock");

    /** Locks of this client, which stays the caller's. */
    public LeaseLockProvider(Leases leases) {
        this.leases = leases;
    }

    /**
     * Locks if nobody holds the lock.
     *
     * @throws dev.leasehold.lease.LeaseException if the store does not answer
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        Duration ttl =
                TimedLease.ttl(leases.store(), configuration.getLockAtMostFor(), configuration.getLockAtLeastFor());
        long sent = leases.now().nanos();
        Acquisition acquisition = leases.tryAcquire(
                Key.of(configuration.getName()), LeaseOptions.noWait().withTtl(ttl));
        if (acquisition instanceof Acquisition.Refused refused && refused.answer() instanceof AcquireResult.Missing) {
            throw refused.toException();
        }
        return acquisition.toOptional().map(lease -> {
            TimedLease timed = new TimedLease(leases, lease, sent, configuration.getLockAtMostFor(), timer);
            return new LeaseSimpleLock(configuration, timed);
        });
    }

    /** Stops ending locks by time. They end with their TTL once the client is closed. */
    @Override
    public void close() {
        timer.close();
    }

    private final class LeaseSimpleLock extends AbstractSimpleLock {
        private final TimedLease lease;
        private final long lockedNanos = leases.now().nanos();

        LeaseSimpleLock(LockConfiguration configuration, TimedLease lease) {
            super(configuration);
            this.lease = lease;
        }

        @Override
        protected void doUnlock() {
            long held = leases.now().nanos() - lockedNanos;
            Duration left = lockConfiguration.getLockAtLeastFor().minusNanos(held);
            lease.end(left.isNegative() ? Duration.ZERO : left);
        }

        @Override
        protected Optional<SimpleLock> doExtend(LockConfiguration longer) {
            return lease.extend(longer.getLockAtMostFor())
                    ? Optional.of(new LeaseSimpleLock(longer, lease))
                    : Optional.empty();
        }

        @Override
        public String toString() {
            return "lock " + lockConfiguration.getName() + ", fence " + lease.fence();
        }
    }
}
