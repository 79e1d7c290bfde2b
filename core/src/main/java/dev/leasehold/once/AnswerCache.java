package dev.leasehold.once;

import dev.leasehold.lease.Moment;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Answers that this process was given before, so that the store need not be asked again. Off unless a {@link RunSpec} has
 * one.
 *
 * <p>An answer leaves every cache of this process at once when {@link Once#forget} or {@link Once#resolve} changes it, or
 * when the key is run again with any spec on the same store object. The price: the cache does not notice when another
 * process, or another store object, forgets an answer. It serves that answer for as long as the answer was to be kept
 * when it was read, so for at most its {@link RunSpec#withRetention retention}.
 *
 * <p>The cache keeps the answers of runs that are done or have failed, never those of runs on hold or under way. It serves
 * an answer only to callers with the fingerprint that it was asked with before. When there are too many answers, or too
 * large ones, the cache drops the least recently used first.
 *
 * <p>Safe for use by many threads; one object may serve any number of specs, keys and stores.
 */
public final class AnswerCache {
    /** What an entry costs beside its payload, roughly. */
    private static final int OVERHEAD = 200;

    /** Changes are counted for so many groups of keys. Two keys of one group cost each other a kept answer at most. */
    private static final int GROUPS = 256;

    /** All caches of this process that are still in use. */
    private static final List<WeakReference<AnswerCache>> ALL = new CopyOnWriteArrayList<>();

    private final int maxEntries;
    private final long maxBytes;
    private final Map<Place, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private final long[] changes = new long[GROUPS];
    private long bytes;

    private record Place(LeaseStore store, Key key) {}

    private record Entry(Fingerprint asked, AcquireResult.Settled answer, Moment since) {
        int size() {
            Payload payload = answer.settlement().payload();
            return OVERHEAD + (payload == null ? 0 : payload.size());
        }

        /** Both clocks must agree: one of them stands still while the machine sleeps, the other may be set back. */
        Duration left(Moment now) {
            long micros = Math.max((now.nanos() - since.nanos()) / 1_000, now.wallMicros() - since.wallMicros());
            return answer.remaining().minusNanos(Math.max(0, micros) * 1_000);
        }
    }

    /** An answer that is still to be served. */
    record Found(Settlement settlement, Fence fence, int attempts, Duration keptFor) {}

    private AnswerCache(int maxEntries, long maxBytes) {
        if (maxEntries < 1 || maxBytes < 1) {
            throw new IllegalArgumentException("A cache needs room for at least one answer and one byte, not "
                    + maxEntries + " and " + maxBytes + ".");
        }
        this.maxEntries = maxEntries;
        this.maxBytes = maxBytes;
    }

    /** A cache for at most so many answers and bytes; what an answer costs beside its own bytes is counted too. */
    public static AnswerCache of(int maxEntries, long maxBytes) {
        AnswerCache cache = new AnswerCache(maxEntries, maxBytes);
        ALL.removeIf(other -> other.get() == null);
        ALL.add(new WeakReference<>(cache));
        return cache;
    }

    /** How many answers there are. */
    public synchronized int size() {
        return entries.size();
    }

    /** How many bytes they take, roughly. */
    public synchronized long bytes() {
        return bytes;
    }

    synchronized @Nullable Found find(LeaseStore store, Key key, Fingerprint asked, Moment now) {
        Place place = new Place(store, key);
        Entry entry = entries.get(place);
        if (entry == null || !entry.asked().equals(asked)) {
            return null;
        }
        Duration left = entry.left(now);
        if (left.isZero() || left.isNegative()) {
            remove(place);
            return null;
        }
        AcquireResult.Settled answer = entry.answer();
        return new Found(answer.settlement(), answer.fence(), answer.attempts(), left);
    }

    /** How often answers like this one have changed in this process: to be read before the store is asked. */
    synchronized long changes(LeaseStore store, Key key) {
        return changes[group(new Place(store, key))];
    }

    private static int group(Place place) {
        return Math.floorMod(place.hashCode(), GROUPS);
    }

    /**
     * Keeps an answer of the store's, unless it may have changed since the store was asked.
     *
     * @param since a moment before it was asked for: the time it is kept for counts from there
     * @param seen the changes there were before it was asked for
     */
    synchronized void keep(
            LeaseStore store, Key key, Fingerprint asked, AcquireResult.Settled answer, Moment since, long seen) {
        Place place = new Place(store, key);
        if (changes[group(place)] != seen) {
            return;
        }
        remove(place);
        Entry entry = new Entry(asked, answer, since);
        if (answer.settlement().state() == State.HOLD || entry.size() > maxBytes) {
            return;
        }
        entries.put(place, entry);
        bytes += entry.size();
        Iterator<Entry> oldest = entries.values().iterator();
        while (entries.size() > maxEntries || bytes > maxBytes) {
            bytes -= oldest.next().size();
            oldest.remove();
        }
    }

    synchronized void forget(LeaseStore store, Key key) {
        Place place = new Place(store, key);
        changes[group(place)]++;
        remove(place);
    }

    /** The answer of this key has changed, or is about to: no cache of this process serves it any more. */
    static void forgetEverywhere(LeaseStore store, Key key) {
        for (WeakReference<AnswerCache> one : ALL) {
            AnswerCache cache = one.get();
            if (cache != null) {
                cache.forget(store, key);
            }
        }
    }

    private void remove(Place place) {
        Entry entry = entries.remove(place);
        if (entry != null) {
            bytes -= entry.size();
        }
    }
}
