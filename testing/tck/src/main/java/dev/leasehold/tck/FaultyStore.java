package dev.leasehold.tck;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.History;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.HistoryRequest;
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
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that misbehaves as told, around one that does not. Faults are set per verb, for the next call or for all, and
 * counted when they strike, so that a test can show that they did.
 *
 * <p>Safe for use by many threads.
 */
public final class FaultyStore implements LeaseStore {
    /** What can be asked of a store. */
    public enum Verb {
        ACQUIRE,
        RENEW,
        RELEASE,
        SETTLE,
        FIND,
        LIST,
        PURGE,
        /** All that can be asked of its history. */
        HISTORY
    }

    /** What goes wrong with a call. */
    public sealed interface Fault {
        /** It never reaches the store. */
        record LostRequest() implements Fault {}

        /** It is carried out, but nobody hears of it. */
        record LostReply() implements Fault {}

        /** It is carried out, and answered so much later. */
        record SlowReply(Duration by) implements Fault {}

        /** It is carried out, and never answered: the caller hears neither answer nor error. */
        record NoReply() implements Fault {}

        /** It is carried out twice. */
        record Duplicate() implements Fault {}

        /** It fails at once, and is carried out when the test calls {@link FaultyStore#deliverLate}. */
        record LateRequest() implements Fault {}

        /** The store throws this. */
        record Failure(RuntimeException cause) implements Fault {}
    }

    private final LeaseStore store;
    private final boolean isManual;
    private final Map<Verb, Deque<Fault>> next = new EnumMap<>(Verb.class);
    private final Map<Verb, Fault> always = new EnumMap<>(Verb.class);
    private final Map<Key, Fault> onKey = new HashMap<>();
    private final List<Verb> asked = new ArrayList<>();
    private final List<Runnable> late = new ArrayList<>();
    private final List<Fault> struck = new ArrayList<>();
    private boolean isMute;
    private boolean isClosed;
    private int heals;

    private FaultyStore(LeaseStore store, boolean isManual) {
        this.store = store;
        this.isManual = isManual;
    }

    /** For use with {@link ManualTime}: slow and missing replies take no real time. */
    public static FaultyStore inManualTime(LeaseStore store) {
        return new FaultyStore(store, true);
    }

    /**
     * For use with real time: a slow reply keeps its thread waiting, until its time is over or all is well again; a missing
     * one until this store is closed.
     */
    public static FaultyStore inRealTime(LeaseStore store) {
        return new FaultyStore(store, false);
    }

    /** The next call of this verb that has no fault yet goes wrong like this. */
    public synchronized FaultyStore next(Verb verb, Fault fault) {
        next.computeIfAbsent(verb, key -> new ArrayDeque<>()).add(fault);
        return this;
    }

    /** From now on, all calls of this verb go wrong like this. */
    public synchronized FaultyStore always(Verb verb, Fault fault) {
        always.put(verb, fault);
        return this;
    }

    /** From now on, all calls that concern this key go wrong like this, together with whatever else they concern. */
    public synchronized FaultyStore always(Key key, Fault fault) {
        onKey.put(key, fault);
        return this;
    }

    /** No verb works from now on: nothing reaches the store. */
    public FaultyStore cutOff() {
        for (Verb verb : Verb.values()) {
            always(verb, new Fault.LostRequest());
        }
        return this;
    }

    /** All is well again. */
    public synchronized void heal() {
        next.clear();
        always.clear();
        onKey.clear();
        isMute = false;
        heals++;
        notifyAll();
    }

    /** Wake-ups are swallowed from now on. */
    public synchronized void mute() {
        isMute = true;
    }

    /** Carries out the requests that were held back, in the order in which they were sent. */
    public void deliverLate() {
        List<Runnable> held;
        synchronized (this) {
            held = List.copyOf(late);
            late.clear();
        }
        held.forEach(Runnable::run);
    }

    /** How often this verb was asked for, faults included. */
    public synchronized int calls(Verb verb) {
        return Collections.frequency(asked, verb);
    }

    /** The verbs that were asked for so far, in order, faults included. */
    public synchronized List<Verb> asked() {
        return List.copyOf(asked);
    }

    /** The faults that struck so far, in order. */
    public synchronized List<Fault> struck() {
        return List.copyOf(struck);
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        return through(Verb.ACQUIRE, List.of(request.key()), () -> store.acquire(request));
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        return through(Verb.RENEW, leases.stream().map(LeaseRef::key).toList(), () -> store.renew(leases));
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return through(Verb.RENEW, List.of(lease.key()), () -> store.renew(lease, ttl));
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        return through(Verb.RELEASE, List.of(request.key()), () -> store.release(request));
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        return through(Verb.SETTLE, List.of(request.lease().key()), () -> store.settle(request));
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        return through(Verb.FIND, List.of(key), () -> store.find(key));
    }

    @Override
    public Page list(ListRequest request) {
        return through(Verb.LIST, List.of(), () -> store.list(request));
    }

    @Override
    public int purge(Duration retained, int limit) {
        return through(Verb.PURGE, List.of(), () -> store.purge(retained, limit));
    }

    @Override
    public Optional<History> history() {
        return store.history().map(FaultyHistory::new);
    }

    private final class FaultyHistory implements History {
        private final History history;

        FaultyHistory(History history) {
            this.history = history;
        }

        @Override
        public void append(List<HistoryNote> notes) {
            List<Key> keys = notes.stream().map(HistoryNote::key).toList();
            through(Verb.HISTORY, keys, () -> {
                history.append(notes);
                return notes;
            });
        }

        @Override
        public List<HistoryEntry> read(HistoryRequest request) {
            return through(Verb.HISTORY, List.of(), () -> history.read(request));
        }

        @Override
        public int forget(Duration olderThan, int limit) {
            return through(Verb.HISTORY, List.of(), () -> history.forget(olderThan, limit));
        }
    }

    @Override
    public Optional<Subscription> onWakeUp(Consumer<WakeUp> listener) {
        return store.onWakeUp(wakeUp -> {
            boolean isHeard;
            synchronized (this) {
                isHeard = !isMute;
            }
            if (isHeard) {
                listener.accept(wakeUp);
            }
        });
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
    public synchronized void close() {
        isClosed = true;
        notifyAll();
    }

    private synchronized @Nullable Fault strike(Verb verb, List<Key> keys) {
        asked.add(verb);
        Deque<Fault> queue = next.get(verb);
        Fault fault = queue == null ? null : queue.poll();
        if (fault == null) {
            fault = always.get(verb);
        }
        for (Key key : keys) {
            fault = fault == null ? onKey.get(key) : fault;
        }
        if (fault != null) {
            struck.add(fault);
        }
        return fault;
    }

    private synchronized int heals() {
        return heals;
    }

    private <T> T through(Verb verb, List<Key> keys, Supplier<T> call) {
        int healsBefore = heals();
        Fault fault = strike(verb, keys);
        if (fault == null) {
            return call.get();
        }
        if (fault instanceof Fault.LostRequest) {
            throw lost("request");
        }
        if (fault instanceof Fault.Failure failure) {
            throw failure.cause();
        }
        if (fault instanceof Fault.LateRequest) {
            synchronized (this) {
                late.add(() -> Objects.requireNonNull(call.get()));
            }
            throw lost("request");
        }
        T result = call.get();
        if (fault instanceof Fault.LostReply) {
            throw lost("reply");
        }
        if (fault instanceof Fault.Duplicate) {
            Objects.requireNonNull(call.get());
            return result;
        }
        return withhold(result, fault instanceof Fault.SlowReply slow ? slow.by() : null, healsBefore);
    }

    private <T> T withhold(T result, @Nullable Duration delay, int healsBefore) {
        if (isManual) {
            throw new WithheldReply(delay, result, null);
        }
        try {
            if (arrives(delay, healsBefore)) {
                return result;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw lost("reply");
    }

    /** Waits, and says whether the reply arrives in the end. */
    private synchronized boolean arrives(@Nullable Duration delay, int healsBefore) throws InterruptedException {
        long end = System.nanoTime() + (delay == null ? 0 : delay.toNanos());
        while (!isClosed) {
            long left = end - System.nanoTime();
            if (delay != null && (left <= 0 || heals > healsBefore)) {
                return true;
            }
            TimeUnit.NANOSECONDS.timedWait(this, delay == null ? Long.MAX_VALUE : left);
        }
        return false;
    }

    private static StoreUnavailableException lost(String what) {
        return new StoreUnavailableException("The " + what + " was lost, as the test wanted.");
    }
}
