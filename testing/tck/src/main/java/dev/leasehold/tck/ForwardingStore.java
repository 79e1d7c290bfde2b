package dev.leasehold.tck;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.History;
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
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Another store, unchanged: for those that change or watch one verb of it. */
public abstract class ForwardingStore implements LeaseStore {
    protected final LeaseStore store;

    protected ForwardingStore(LeaseStore store) {
        this.store = store;
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        return store.acquire(request);
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        return store.renew(leases);
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return store.renew(lease, ttl);
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        return store.release(request);
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        return store.settle(request);
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        return store.find(key);
    }

    @Override
    public Page list(ListRequest request) {
        return store.list(request);
    }

    @Override
    public int purge(Duration retained, int limit) {
        return store.purge(retained, limit);
    }

    @Override
    public Optional<Subscription> onWakeUp(Consumer<WakeUp> listener) {
        return store.onWakeUp(listener);
    }

    @Override
    public Optional<History> history() {
        return store.history();
    }

    @Override
    public Optional<RecordTraits> recordTraits() {
        return store.recordTraits();
    }

    @Override
    public Duration shortestTtl() {
        return store.shortestTtl();
    }

    @Override
    public Duration longestCall() {
        return store.longestCall();
    }

    @Override
    public void close() {
        store.close();
    }
}
