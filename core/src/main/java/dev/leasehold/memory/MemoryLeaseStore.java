package dev.leasehold.memory;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.History;
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
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A store in the memory of one process: the reference for all others, and the double for users' tests.
 *
 * <p>It keeps every promise of the contract for as long as the process lives, and forgets everything with it. Records
 * are guarded one by one, so different keys do not wait for each other. Share one object between all that must exclude
 * each other.
 */
public final class MemoryLeaseStore implements LeaseStore {
    private final ConcurrentSkipListMap<Key, Slot> slots = new ConcurrentSkipListMap<>();
    private final List<Consumer<WakeUp>> listeners = new CopyOnWriteArrayList<>();
    private final LongSupplier clockMicros;
    private final MemoryHistory history;

    /** A store that counts real time. */
    public MemoryLeaseStore() {
        this(microsSince(System.nanoTime(), System.currentTimeMillis()));
    }

    /** A store whose clock is the given one, in microseconds since 1970: for tests that move time by hand. */
    public MemoryLeaseStore(LongSupplier clockMicros) {
        this.clockMicros = clockMicros;
        this.history = new MemoryHistory(clockMicros);
    }

    /** Starts at the wall clock, which the fences need, and goes on with the monotonic one, which nobody can set. */
    private static LongSupplier microsSince(long startNanos, long startMillis) {
        return () -> startMillis * 1_000 + (System.nanoTime() - startNanos) / 1_000;
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        return change(request.key(), record -> LeaseRules.acquire(record, request, clockMicros.getAsLong()));
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        List<Renewal> renewals = new ArrayList<>(leases.size());
        for (LeaseRef lease : leases) {
            change(lease.key(), record -> LeaseRules.renew(record, lease, clockMicros.getAsLong()))
                    .ifPresent(renewals::add);
        }
        return renewals;
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return change(lease.key(), record -> LeaseRules.renew(record, lease, ttl, clockMicros.getAsLong()));
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        return change(request.key(), record -> LeaseRules.release(record, request, clockMicros.getAsLong()));
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        return change(request.lease().key(), record -> LeaseRules.settle(record, request, clockMicros.getAsLong()));
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        Slot slot = slots.get(key);
        LeaseRecord record = slot == null ? null : slot.record;
        return Optional.ofNullable(record).map(found -> new LeaseSnapshot(found, clockMicros.getAsLong()));
    }

    @Override
    public Page list(ListRequest request) {
        List<LeaseSnapshot> found = new ArrayList<>();
        long now = clockMicros.getAsLong();
        Key after = request.after();
        for (Slot slot : (after == null ? slots : slots.tailMap(after, false)).values()) {
            LeaseRecord record = slot.record;
            if (record != null
                    && request.covers(record.key())
                    && request.states().contains(record.state())) {
                if (found.size() == request.limit()) {
                    return new Page(found, found.get(found.size() - 1).key());
                }
                found.add(new LeaseSnapshot(record, now));
            }
        }
        return new Page(found, null);
    }

    @Override
    public int purge(Duration retained, int limit) {
        int dropped = 0;
        for (Iterator<Slot> all = slots.values().iterator(); all.hasNext() && dropped < limit; ) {
            Slot slot = all.next();
            synchronized (slot) {
                LeaseRecord record = slot.record;
                if (record != null && LeaseRules.isPurgeable(record, retained, clockMicros.getAsLong())) {
                    slot.record = null;
                    slot.isGone = true;
                    all.remove();
                    dropped++;
                }
            }
        }
        return dropped;
    }

    @Override
    public Optional<Subscription> onWakeUp(Consumer<WakeUp> listener) {
        listeners.add(listener);
        return Optional.of(() -> listeners.remove(listener));
    }

    /** The last ten thousand entries. */
    @Override
    public Optional<History> history() {
        return Optional.of(history);
    }

    @Override
    public Duration shortestTtl() {
        return Duration.ofMillis(100);
    }

    @Override
    public Duration longestCall() {
        return Duration.ZERO;
    }

    /** Keeps the records: whoever still has this object may go on using it. */
    @Override
    public void close() {
        listeners.clear();
    }

    private <R> R change(Key key, Function<@Nullable LeaseRecord, Change<R>> rule) {
        while (true) {
            Slot slot = slots.computeIfAbsent(key, k -> new Slot());
            Change<R> change;
            synchronized (slot) {
                if (slot.isGone) {
                    continue;
                }
                change = rule.apply(slot.record);
                slot.record = change.record();
                if (slot.record == null) {
                    slot.isGone = true;
                    slots.remove(key, slot);
                }
            }
            for (WakeUp wakeUp : change.wakeUps()) {
                listeners.forEach(listener -> listener.accept(wakeUp));
            }
            return change.result();
        }
    }

    /** One key's record. A slot that was dropped from the map is gone for good, and whoever holds it looks again. */
    private static final class Slot {
        private volatile @Nullable LeaseRecord record;
        private boolean isGone;
    }
}
