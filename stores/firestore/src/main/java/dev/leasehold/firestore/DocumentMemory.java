package dev.leasehold.firestore;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Predecessor;
import dev.leasehold.wire.BoundedMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Remembers facts about this store's leases that the user's documents have no field for. Bounded; what was not used for
 * longest is forgotten. Safe for use by many threads.
 */
final class DocumentMemory {
    private static final int MOST = 65_536;
    private static final int MOST_STAMPS = 8;

    private final Map<Nonce, Mark> marks = new BoundedMap<>(MOST);
    /** Leases that were released, with their fence. By their key too: documents that are alike have equal made-up nonces. */
    private final Map<Ended, Fence> ended = new BoundedMap<>(MOST);

    private long lastFence = 1;

    /**
     * A lease of this store, or one that it may have got.
     *
     * @param owner as it was written
     * @param confirmed the expiry that the document is known to have had last; null before the first answer
     * @param stamps all expiries that the document may have: the confirmed one, and those whose answer is missing
     */
    record Mark(
            Fence fence,
            String owner,
            long ttlMicros,
            @Nullable Predecessor predecessor,
            @Nullable Long confirmed,
            List<Long> stamps) {
        Mark {
            stamps = List.copyOf(stamps);
        }
    }

    private record Ended(Key key, Nonce nonce) {}

    synchronized Optional<Mark> find(Nonce nonce) {
        return Optional.ofNullable(marks.get(nonce));
    }

    /** A grant or renewal is about to be written. */
    synchronized void perhaps(
            Nonce nonce, Fence fence, String owner, long ttlMicros, @Nullable Predecessor predecessor, long stamp) {
        Mark known = marks.get(nonce);
        List<Long> stamps = new ArrayList<>(known == null ? List.of() : known.stamps());
        stamps.remove(stamp);
        stamps.add(stamp);
        Long confirmed = known == null ? null : known.confirmed();
        if (stamps.size() > MOST_STAMPS) {
            // The confirmed one stays, because the document has it until a later one is confirmed.
            stamps.remove(stamps.get(0).equals(confirmed) ? 1 : 0);
        }
        Predecessor from = predecessor == null && known != null ? known.predecessor() : predecessor;
        marks.put(nonce, new Mark(fence, owner, ttlMicros, from, confirmed, stamps));
    }

    /** The document was seen, or is known, to have this expiry. */
    synchronized void confirm(Nonce nonce, long stamp) {
        marks.computeIfPresent(
                nonce,
                (same, mark) -> new Mark(
                        mark.fence(), mark.owner(), mark.ttlMicros(), mark.predecessor(), stamp, mark.stamps()));
        lastFence = Math.max(
                lastFence, find(nonce).map(mark -> mark.fence().value()).orElse(1L));
    }

    /** The lease was released. */
    synchronized void end(Key key, Nonce nonce, Fence fence) {
        marks.remove(nonce);
        ended.put(new Ended(key, nonce), fence);
    }

    /** Whether a lease with this nonce was released. */
    synchronized boolean isEnded(Key key, Nonce nonce) {
        return ended.containsKey(new Ended(key, nonce));
    }

    /** Whether the lease with this nonce, and with this fence if there is one, was released. */
    synchronized boolean isEnded(Key key, Nonce nonce, @Nullable Fence fence) {
        Fence known = ended.get(new Ended(key, nonce));
        return known != null && (fence == null || fence.equals(known));
    }

    /** The largest fence that this store gave out. */
    synchronized Fence lastFence() {
        return Fence.of(lastFence);
    }
}
