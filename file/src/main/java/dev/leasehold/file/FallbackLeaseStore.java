package dev.leasehold.file;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Page;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.StoreUnsupportedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The first of two stores if it can work here, and otherwise the second.
 *
 * <p>When the first says that it is not supported, the second is asked at once, and alone from then on. A lease that is
 * held stays held: contention never changes the store. A lease is renewed, released and settled by the store that
 * granted it. The two do not know of each other, so all processes must come to the same choice, which they do where the
 * file system decides it. There are no wake-ups. Safe for many threads if both stores are.
 */
public final class FallbackLeaseStore implements LeaseStore {
    private final LeaseStore primary;
    private final LeaseStore fallback;
    private final Set<Nonce> grantedByPrimary = ConcurrentHashMap.newKeySet();
    private volatile LeaseStore inUse;

    private FallbackLeaseStore(LeaseStore primary, LeaseStore fallback) {
        this.primary = primary;
        this.fallback = fallback;
        this.inUse = primary;
    }

    public static FallbackLeaseStore of(LeaseStore primary, LeaseStore fallback) {
        return new FallbackLeaseStore(primary, fallback);
    }

    /** The name of the one in use. */
    @Override
    public String name() {
        return inUse.name();
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        if (grantedByPrimary.contains(request.nonce())) {
            return primary.acquire(request);
        }
        return ask(store -> {
            AcquireResult result = store.acquire(request);
            if (store == primary && result instanceof AcquireResult.Granted) {
                grantedByPrimary.add(request.nonce());
            }
            return result;
        });
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        List<LeaseRef> ofPrimary = new ArrayList<>();
        List<LeaseRef> others = new ArrayList<>();
        for (LeaseRef lease : leases) {
            (grantedByPrimary.contains(lease.nonce()) ? ofPrimary : others).add(lease);
        }
        List<Renewal> renewals = new ArrayList<>();
        if (!ofPrimary.isEmpty()) {
            renewals.addAll(primary.renew(ofPrimary));
        }
        if (!others.isEmpty()) {
            renewals.addAll(inUse.renew(others));
        }
        return renewals;
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        ReleaseResult result = storeOf(request.nonce()).release(request);
        grantedByPrimary.remove(request.nonce());
        return result;
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        return storeOf(request.lease().nonce()).settle(request);
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        return ask(store -> store.find(key));
    }

    @Override
    public Page list(ListRequest request) {
        return ask(store -> store.list(request));
    }

    @Override
    public int purge(Duration retained, int limit) {
        return ask(store -> store.purge(retained, limit));
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

    private LeaseStore storeOf(Nonce nonce) {
        return grantedByPrimary.contains(nonce) ? primary : inUse;
    }

    private <R> R ask(Function<LeaseStore, R> question) {
        LeaseStore asked = inUse;
        if (asked == primary) {
            try {
                return question.apply(primary);
            } catch (StoreUnsupportedException e) {
                inUse = fallback;
            }
        }
        return question.apply(fallback);
    }
}
