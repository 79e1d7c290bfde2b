package dev.leasehold.tck;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** A store that is right, but for one {@link Breakage}. */
final class BreakableStore implements LeaseStore {
    private final Map<Key, LeaseRecord> records = new ConcurrentHashMap<>();
    private final Map<Nonce, Owner> owners = new ConcurrentHashMap<>();
    private final List<Consumer<WakeUp>> listeners = new CopyOnWriteArrayList<>();
    private final Object lock = new Object();
    private final Breakage breakage;
    private final LongSupplier clock;

    BreakableStore(Breakage breakage, LongSupplier clock) {
        this.breakage = breakage;
        this.clock = clock;
    }

    @Override
    public String name() {
        return "broken";
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        owners.put(request.nonce(), request.owner());
        return change(request.key(), record -> breakage.acquire(record, request, clock.getAsLong()));
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        return leases.stream()
                .flatMap(lease ->
                        change(lease.key(), record -> breakage.renew(record, lease, clock.getAsLong())).stream())
                .toList();
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return change(lease.key(), record -> breakage.renew(record, lease, ttl, clock.getAsLong()));
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        Optional<Owner> owner = Optional.ofNullable(owners.get(request.nonce()));
        return change(request.key(), record -> breakage.release(record, request, owner, clock.getAsLong()));
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        return change(request.lease().key(), record -> breakage.settle(record, request, clock.getAsLong()));
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        return Optional.ofNullable(records.get(breakage.identity(key))).map(this::snapshot);
    }

    @Override
    public Page list(ListRequest request) {
        List<LeaseSnapshot> found = records.values().stream()
                .filter(record -> breakage.covers(request, record.key()))
                .filter(record -> request.states().contains(record.state()))
                .sorted((one, other) -> breakage.order(one.key(), other.key()))
                .map(this::snapshot)
                .toList();
        boolean hasMore = found.size() > request.limit();
        List<LeaseSnapshot> page = hasMore ? found.subList(0, request.limit()) : found;
        return new Page(page, hasMore ? page.get(page.size() - 1).key() : null);
    }

    @Override
    public int purge(Duration retained, int limit) {
        synchronized (lock) {
            List<Key> over = records.entrySet().stream()
                    .filter(entry -> breakage.isPurgeable(entry.getValue(), retained, clock.getAsLong()))
                    .map(Map.Entry::getKey)
                    .limit(limit)
                    .toList();
            over.forEach(records::remove);
            return over.size();
        }
    }

    @Override
    public Optional<Subscription> onWakeUp(Consumer<WakeUp> listener) {
        listeners.add(listener);
        return Optional.of(() -> listeners.remove(listener));
    }

    @Override
    public void close() {}

    private LeaseSnapshot snapshot(LeaseRecord record) {
        return new LeaseSnapshot(record, clock.getAsLong());
    }

    private <R> R change(Key key, Function<LeaseRecord, Change<R>> rule) {
        Change<R> change;
        if (breakage.isAtomic()) {
            synchronized (lock) {
                change = write(key, rule.apply(records.get(breakage.identity(key))));
            }
        } else {
            Change<R> decided = rule.apply(records.get(breakage.identity(key)));
            LockSupport.parkNanos(50_000);
            change = write(key, decided);
        }
        List<WakeUp> wakeUps = new ArrayList<>();
        for (int copy = 0; copy < breakage.copiesOfWakeUps(); copy++) {
            wakeUps.addAll(change.wakeUps());
        }
        wakeUps.forEach(wakeUp -> listeners.forEach(listener -> listener.accept(wakeUp)));
        return change.result();
    }

    private <R> Change<R> write(Key key, Change<R> change) {
        Key identity = breakage.identity(key);
        LeaseRecord before = records.get(identity);
        if (change.record() == null) {
            records.remove(identity);
            return change;
        }
        Fence given = change.record().fence();
        boolean isGrant = before == null || !before.fence().equals(given);
        Fence wanted = isGrant ? breakage.fence(before, given) : given;
        Change<R> refenced = given.equals(wanted) ? change : Records.refenced(change, wanted);
        records.put(identity, refenced.record());
        return refenced;
    }
}
