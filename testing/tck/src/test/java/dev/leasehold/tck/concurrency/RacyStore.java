package dev.leasehold.tck.concurrency;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Place;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.ForwardingStore;
import dev.leasehold.tck.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A store that decides by the rules, with one of the bugs that stores on databases had. */
final class RacyStore extends ForwardingStore {
    enum Bug {
        NONE,
        /** The caller's own lease as it was seen before the lock, although a rival has taken it over since. */
        GRANTS_FROM_A_STALE_SNAPSHOT,
        /** The fence is the clock as it was before the lock. */
        FENCE_FROM_AN_EARLIER_CLOCK,
        /** A caller that was not the holder leaves the line, although the key was handed to it meanwhile. */
        WITHDRAWAL_MISSES_A_HAND_OVER,
        /** The line was read before the lock; who came since stands in the line of a free key. */
        RELEASE_MISSES_A_PLACE,
        /** A record that stays locked for a moment is reported as an outage. */
        LOCKED_RECORD_IS_AN_OUTAGE
    }

    private final Bug bug;
    private final Map<Key, LeaseRecord> records = new ConcurrentHashMap<>();
    private final Map<Key, ReentrantLock> locks = new ConcurrentHashMap<>();

    /** Verbs that the check does not use go to an empty store. */
    RacyStore(Bug bug) {
        super(new MemoryLeaseStore());
        this.bug = bug;
    }

    private static long now() {
        return System.currentTimeMillis() * 1_000;
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        LeaseRecord seen = records.get(request.key());
        long clock = now();
        if (bug == Bug.GRANTS_FROM_A_STALE_SNAPSHOT || bug == Bug.FENCE_FROM_AN_EARLIER_CLOCK) {
            pauseSometimes();
        }
        AcquireResult result = change(request.key(), record -> {
            Change<AcquireResult> change = LeaseRules.acquire(record, request, now());
            return bug == Bug.FENCE_FROM_AN_EARLIER_CLOCK ? refenced(record, change, Fence.of(clock)) : change;
        });
        boolean wasMine = seen != null
                && seen.state() == State.HELD
                && seen.tenure() != null
                && seen.tenure().nonce().equals(request.nonce());
        if (bug == Bug.GRANTS_FROM_A_STALE_SNAPSHOT && wasMine && result instanceof Held) {
            return new Granted(
                    seen.fence(),
                    request.ttl(),
                    seen.progress().attempts(),
                    seen.progress().predecessor(),
                    seen.progress().payload());
        }
        return result;
    }

    private static Change<AcquireResult> refenced(
            @Nullable LeaseRecord before, Change<AcquireResult> change, Fence fence) {
        LeaseRecord next = change.record();
        boolean isNew = next != null && (before == null || !before.fence().equals(next.fence()));
        if (isNew && change.result() instanceof Granted granted) {
            Granted other = new Granted(
                    fence, granted.remaining(), granted.attempt(), granted.predecessor(), granted.checkpoint());
            return new Change<>(next.withFence(fence), other, change.wakeUps());
        }
        return change;
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        List<Renewal> renewals = new ArrayList<>();
        for (LeaseRef lease : leases) {
            change(lease.key(), record -> LeaseRules.renew(record, lease, now()))
                    .ifPresent(renewals::add);
        }
        return renewals;
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return change(lease.key(), record -> LeaseRules.renew(record, lease, ttl, now()));
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        LeaseRecord seen = records.get(request.key());
        if (bug == Bug.WITHDRAWAL_MISSES_A_HAND_OVER && request.fence() == null) {
            return withdraw(request, seen);
        }
        List<Place> line = seen == null ? List.of() : seen.line();
        if (bug == Bug.RELEASE_MISSES_A_PLACE && line.isEmpty()) {
            pauseSometimes();
            return change(request.key(), record -> releasePassingByTheLine(record, request));
        }
        return change(request.key(), record -> LeaseRules.release(record, request, now()));
    }

    private ReleaseResult withdraw(ReleaseRequest request, @Nullable LeaseRecord seen) {
        if (seen != null && LeaseRules.release(seen, request, now()).result() == ReleaseResult.RELEASED) {
            return change(request.key(), record -> LeaseRules.release(record, request, now()));
        }
        pauseSometimes();
        return change(request.key(), record -> {
            LeaseRecord left = record == null
                    ? null
                    : record.withLine(record.line().stream()
                            .filter(place -> !place.nonce().equals(request.nonce()))
                            .toList());
            return new Change<>(left, ReleaseResult.NOT_HELD, List.of());
        });
    }

    private static Change<ReleaseResult> releasePassingByTheLine(@Nullable LeaseRecord record, ReleaseRequest request) {
        LeaseRecord lineless = record == null ? null : record.withLine(List.of());
        Change<ReleaseResult> change = LeaseRules.release(lineless, request, now());
        LeaseRecord next = change.record();
        return next == null || record == null
                ? change
                : new Change<>(next.withLine(record.line()), change.result(), List.of());
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        return change(request.lease().key(), record -> LeaseRules.settle(record, request, now()));
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        return Optional.ofNullable(records.get(key)).map(record -> new LeaseSnapshot(record, now()));
    }

    private static void pauseSometimes() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (random.nextInt(3) == 0) {
            Threads.pause(Duration.ofNanos(random.nextInt(15_000_000)));
        }
    }

    private <R> R change(Key key, Function<@Nullable LeaseRecord, Change<R>> rule) {
        ReentrantLock lock = locks.computeIfAbsent(key, any -> new ReentrantLock());
        if (bug != Bug.LOCKED_RECORD_IS_AN_OUTAGE) {
            lock.lock();
        } else if (!isLockedSoon(lock)) {
            throw new StoreUnavailableException("The record of " + key + " is locked.", null);
        }
        try {
            Change<R> change = rule.apply(records.get(key));
            if (change.record() != null) {
                records.put(key, change.record());
            }
            if (bug == Bug.LOCKED_RECORD_IS_AN_OUTAGE) {
                pauseSometimes();
            }
            return change.result();
        } finally {
            lock.unlock();
        }
    }

    private static boolean isLockedSoon(ReentrantLock lock) {
        try {
            return lock.tryLock(Micros.of(Duration.ofMillis(1)), TimeUnit.MICROSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
