package dev.leasehold.tck.lease;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.History;
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
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A store that keeps its history elsewhere, or none. */
record OtherHistory(LeaseStore store, Optional<History> history) implements LeaseStore {
    static OtherHistory none(LeaseStore store) {
        return new OtherHistory(store, Optional.empty());
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
    public void close() {
        store.close();
    }
}
