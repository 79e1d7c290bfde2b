package dev.leasehold.file;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.RecordTraits;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.StoreUnsupportedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The first of two stores if it can work here, and otherwise the second.
 *
 * <p>The first acquire that gets an answer decides, once and for all. When the primary says that it is not supported,
 * the fallback is asked at once. A lease that is held stays held: contention never changes the store, and neither does
 * anything that happens to a primary that worked before. The two do not know of each other, so all processes must come
 * to the same choice, which they do where the file system decides it. There are no wake-ups. Safe for many threads if
 * both stores are.
 */
public final class FallbackLeaseStore implements LeaseStore {
    private final LeaseStore primary;
    private final LeaseStore fallback;
    private volatile @Nullable LeaseStore chosen;

    private FallbackLeaseStore(LeaseStore primary, LeaseStore fallback) {
        this.primary = primary;
        this.fallback = fallback;
    }

    public static FallbackLeaseStore of(LeaseStore primary, LeaseStore fallback) {
        return new FallbackLeaseStore(primary, fallback);
    }

    /** The name of the one in use. */
    @Override
    public String name() {
        return inUse().name();
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        LeaseStore decided = chosen;
        return decided != null ? decided.acquire(request) : choose(request);
    }

    /** One at a time, so that no thread is granted by a store that another thread has just given up. */
    private synchronized AcquireResult choose(AcquireRequest request) {
        LeaseStore decided = chosen;
        if (decided != null) {
            return decided.acquire(request);
        }
        try {
            AcquireResult result = primary.acquire(request);
            chosen = primary;
            return result;
        } catch (StoreUnsupportedException e) {
            chosen = fallback;
            return fallback.acquire(request);
        }
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        return inUse().renew(leases);
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return inUse().renew(lease, ttl);
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        return inUse().release(request);
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        return inUse().settle(request);
    }

    /** Until it is decided which store is used, looks in both: other processes may have decided. */
    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        LeaseStore decided = chosen;
        return decided != null ? decided.find(key) : primary.find(key).or(() -> fallback.find(key));
    }

    @Override
    public Page list(ListRequest request) {
        Page page = inUse().list(request);
        return chosen == null && page.records().isEmpty() ? fallback.list(request) : page;
    }

    @Override
    public int purge(Duration retained, int limit) {
        return inUse().purge(retained, limit);
    }

    /** The abilities of the records of the store in use. Until the first acquire decides, that is the primary. */
    @Override
    public Optional<RecordTraits> recordTraits() {
        return inUse().recordTraits();
    }

    @Override
    public Duration shortestTtl() {
        Duration first = primary.shortestTtl();
        Duration second = fallback.shortestTtl();
        return first.compareTo(second) > 0 ? first : second;
    }

    @Override
    public Duration longestCall() {
        return primary.longestCall().plus(fallback.longestCall());
    }

    /** Closes both. */
    @Override
    public void close() {
        try {
            primary.close();
        } finally {
            fallback.close();
        }
    }

    private LeaseStore inUse() {
        LeaseStore decided = chosen;
        return decided == null ? primary : decided;
    }
}
