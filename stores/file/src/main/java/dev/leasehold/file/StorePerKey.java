package dev.leasehold.file;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Stores of one kind, each for one key, as one store for these keys. */
final class StorePerKey implements LeaseStore {
    private final List<OneKeyStore> stores;

    StorePerKey(Collection<OneKeyStore> stores) {
        this.stores = List.copyOf(stores);
    }

    private OneKeyStore of(Key key) {
        return stores.stream()
                .filter(store -> store.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no lock with the key " + key + " here."));
    }

    @Override
    public String name() {
        return stores.get(0).name();
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        return of(request.key()).acquire(request);
    }

    /**
     * Asks every store, also if another one fails.
     *
     * @throws StoreException if some answered and some failed, and not that the store is unavailable: who asks again then
     *     asks for one lease at a time, so that a store that fails costs the others nothing
     */
    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        List<Renewal> renewals = new ArrayList<>(leases.size());
        List<StoreException> failures = new ArrayList<>(0);
        for (LeaseRef lease : leases) {
            try {
                of(lease.key()).renew(lease).ifPresent(renewals::add);
            } catch (StoreException e) {
                failures.add(e);
            }
        }
        if (failures.isEmpty()) {
            return renewals;
        }
        StoreException first = failures.get(0);
        throw failures.size() == leases.size()
                ? first
                : new StoreException("One of " + leases.size() + " locks failed: " + first.getMessage(), first);
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return of(lease.key()).renew(lease, ttl);
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        return of(request.key()).release(request);
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        return of(request.lease().key()).settle(request);
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        return stores.stream().flatMap(store -> store.find(key).stream()).findFirst();
    }

    @Override
    public Page list(ListRequest request) {
        List<LeaseSnapshot> found = stores.stream()
                .flatMap(store -> store.list(request).records().stream())
                .sorted((one, other) -> one.key().compareTo(other.key()))
                .toList();
        return new Page(found, null);
    }

    @Override
    public int purge(Duration retained, int limit) {
        int dropped = 0;
        for (OneKeyStore store : stores) {
            dropped += store.purge(retained, limit - dropped);
        }
        return dropped;
    }

    @Override
    public void close() {
        stores.forEach(OneKeyStore::close);
    }
}
