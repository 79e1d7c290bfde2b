package dev.leasehold.tck.sim;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** A correct store for one thread, whose parts can be replaced by wrong ones. */
class RulesStore implements LeaseStore {
    final Map<Key, LeaseRecord> records = new TreeMap<>();
    final LongSupplier clock;
    private Consumer<WakeUp> listener = wakeUp -> {};

    RulesStore(LongSupplier clock) {
        this.clock = clock;
    }

    Change<AcquireResult> onAcquire(LeaseRecord record, AcquireRequest request, long now) {
        return LeaseRules.acquire(record, request, now);
    }

    Change<Optional<Renewal>> onRenew(LeaseRecord record, LeaseRef lease, long now) {
        return LeaseRules.renew(record, lease, now);
    }

    Change<ReleaseResult> onRelease(LeaseRecord record, ReleaseRequest request, long now) {
        return LeaseRules.release(record, request, now);
    }

    Change<SettleResult> onSettle(LeaseRecord record, SettleRequest request, long now) {
        return LeaseRules.settle(record, request, now);
    }

    boolean isPurgeable(LeaseRecord record, Duration retained, long now) {
        return LeaseRules.isPurgeable(record, retained, now);
    }

    /** The fence of the grant after a record; the right answer is what the rules gave. */
    Fence fenceAfter(LeaseRecord before, Fence given) {
        return given;
    }

    private <R> R store(Key key, Change<R> change) {
        LeaseRecord before = records.get(key);
        LeaseRecord after = change.record();
        if (after == null) {
            records.remove(key);
            return change.result();
        }
        boolean isGrant =
                after.tenure() != null && (before == null || !after.fence().equals(before.fence()));
        Fence given = after.fence();
        Fence wanted = isGrant ? fenceAfter(before, given) : given;
        records.put(key, after.withFence(wanted));
        change.wakeUps().forEach(wakeUp -> listener.accept(refenced(wakeUp, given, wanted)));
        return refenced(change.result(), given, wanted);
    }

    @SuppressWarnings("unchecked") // Each result is replaced by one of its own kind.
    private static <R> R refenced(R result, Fence given, Fence wanted) {
        if (given.equals(wanted)) {
            return result;
        }
        if (result instanceof AcquireResult.Granted granted) {
            return (R) new AcquireResult.Granted(
                    wanted, granted.remaining(), granted.attempt(), granted.predecessor(), granted.checkpoint());
        }
        if (result instanceof WakeUp.HandedOver handed) {
            LeaseRef lease = new LeaseRef(handed.key(), handed.nonce(), wanted);
            return (R) new WakeUp.HandedOver(lease, handed.waited(), handed.remaining(), handed.attempt());
        }
        return result;
    }

    @Override
    public String name() {
        return "rules";
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        Key key = request.key();
        return store(key, onAcquire(records.get(key), request, clock.getAsLong()));
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        List<Renewal> renewals = new ArrayList<>();
        for (LeaseRef lease : leases) {
            store(lease.key(), onRenew(records.get(lease.key()), lease, clock.getAsLong()))
                    .ifPresent(renewals::add);
        }
        return renewals;
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return store(lease.key(), LeaseRules.renew(records.get(lease.key()), lease, ttl, clock.getAsLong()));
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        Key key = request.key();
        return store(key, onRelease(records.get(key), request, clock.getAsLong()));
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        Key key = request.lease().key();
        return store(key, onSettle(records.get(key), request, clock.getAsLong()));
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        return Optional.ofNullable(records.get(key)).map(record -> new LeaseSnapshot(record, clock.getAsLong()));
    }

    @Override
    public Page list(ListRequest request) {
        return new Page(List.of(), null);
    }

    @Override
    public int purge(Duration retained, int limit) {
        int before = records.size();
        records.values().removeIf(record -> isPurgeable(record, retained, clock.getAsLong()));
        return before - records.size();
    }

    @Override
    public Optional<Subscription> onWakeUp(Consumer<WakeUp> told) {
        listener = told;
        return Optional.of(() -> listener = wakeUp -> {});
    }

    @Override
    public void close() {}
}
