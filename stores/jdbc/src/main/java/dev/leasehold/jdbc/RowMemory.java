package dev.leasehold.jdbc;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Predecessor;
import dev.leasehold.wire.BoundedMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a store remembers of its own leases because the user's rows have no place for it, most of all the moment it
 * wrote: on rows without nonce and fence that is the only mark of a lease. Bounded; what was not used for longest is
 * forgotten, and such a lease counts as lost if its row has no better mark. Safe for use by many threads.
 */
final class RowMemory {
    private static final int MOST = 65_536;

    /** What a lease is renewed by of which it is not known what it was acquired with. */
    private static final long UNKNOWN_TTL = Micros.of(Duration.ofMinutes(5));

    private final Map<Nonce, Mark> held = new BoundedMap<>(MOST);
    /** Leases that have ended, with their fence. By their key too: rows that are alike have equal made-up nonces. */
    private final Map<Ended, Fence> ended = new BoundedMap<>(MOST);

    private final Map<Nonce, ReentrantLock> turns = new BoundedMap<>(MOST);
    private final Map<Nonce, Predecessor> predecessors = new BoundedMap<>(MOST);
    private long lastFence;

    /**
     * A lease of this store.
     *
     * @param owner as it was stored
     * @param stamps what the row's time may be: the last that was confirmed, then those whose reply is not there yet
     */
    record Mark(Fence fence, @Nullable String owner, long ttlMicros, List<Long> stamps) {
        Mark {
            stamps = List.copyOf(stamps);
        }

        /** The last moment that the row is known to have had. */
        long confirmed() {
            return stamps.isEmpty() ? -1 : stamps.get(0);
        }

        /**
         * Until when, by the row's clock, nobody else can have taken the row. Moments that are not confirmed tell the lease's
         * row until then only: later, another holder may have written the same.
         */
        long sureUntil(RowTable table) {
            return confirmed() + table.mapping.fixedTtlMicros().orElse(0L);
        }

        boolean isOf(RowSight sight, RowTable table) {
            Long stamp = sight.stamp();
            return stamp != null
                    && (stamp == confirmed() || (stamps.contains(stamp) && sureUntil(table) > sight.clock()));
        }

        /** The row was seen with this moment. Renewals without a reply may still change it. */
        Mark seen(long stamp) {
            List<Long> all = new ArrayList<>(stamps);
            all.remove(stamp);
            all.add(0, stamp);
            return new Mark(fence, owner, ttlMicros, all.subList(0, Math.min(all.size(), RowStatements.STAMPS)));
        }

        Mark withTtl(long micros) {
            return new Mark(fence, owner, micros, stamps);
        }

        Mark now(long stamp) {
            return new Mark(fence, owner, ttlMicros, List.of(stamp));
        }

        Mark perhaps(long stamp) {
            List<Long> all = new ArrayList<>(stamps);
            all.remove(stamp);
            if (all.size() == RowStatements.STAMPS) {
                all.remove(1);
            }
            all.add(stamp);
            return new Mark(fence, owner, ttlMicros, all);
        }
    }

    private record Ended(Key key, Nonce nonce) {}

    synchronized Optional<Mark> find(Nonce nonce) {
        return Optional.ofNullable(held.get(nonce));
    }

    /**
     * What is known of a lease that its row may be asked about; empty if that is certain to be in vain. A row that has a
     * mark of its own can be asked by anybody.
     */
    Optional<Mark> mark(Nonce nonce, @Nullable Fence fence, RowTable table) {
        Optional<Mark> known = find(nonce);
        if (known.isPresent()) {
            return known.filter(mark -> fence == null || fence.equals(mark.fence()));
        }
        Fence any = fence == null ? Fence.of(1) : fence;
        Long stamp = RowSight.stampOf(nonce);
        if (table.has(RowMapping.Role.NONCE) || (table.has(RowMapping.Role.FENCE) && fence != null)) {
            return Optional.of(new Mark(any, null, UNKNOWN_TTL, List.of()));
        }
        return table.isMarkedByTime() && stamp != null
                ? Optional.of(new Mark(any, null, UNKNOWN_TTL, List.of(stamp)))
                : Optional.empty();
    }

    /** From which holder the lease was taken over, for a call that is asked again. */
    synchronized void tookOver(Nonce nonce, Predecessor predecessor) {
        predecessors.put(nonce, predecessor);
    }

    synchronized @Nullable Predecessor predecessor(Nonce nonce) {
        return predecessors.get(nonce);
    }

    synchronized void keep(Nonce nonce, Mark mark) {
        held.put(nonce, mark);
    }

    /** The row's time is this, or will be if a statement that is under way gets through. */
    synchronized void perhaps(Nonce nonce, long stamp) {
        held.computeIfPresent(nonce, (same, mark) -> mark.perhaps(stamp));
    }

    /** The row's time is this for certain. */
    synchronized void confirm(Nonce nonce, long stamp) {
        held.computeIfPresent(nonce, (same, mark) -> mark.now(stamp));
    }

    /** From now on the lease is renewed by this TTL. */
    synchronized void extendedBy(Nonce nonce, long ttlMicros) {
        held.computeIfPresent(nonce, (same, mark) -> mark.withTtl(ttlMicros));
    }

    /** The row was seen with this moment, and a statement may still be under way that changes it. */
    synchronized void seen(Nonce nonce, long stamp) {
        held.computeIfPresent(nonce, (same, mark) -> mark.seen(stamp));
    }

    /**
     * Calls about one lease take turns where its row is known only by the moment that was written: each has to know what the
     * one before it wrote.
     */
    synchronized ReentrantLock turn(Nonce nonce) {
        return turns.computeIfAbsent(nonce, same -> new ReentrantLock());
    }

    synchronized void forget(Nonce nonce) {
        held.remove(nonce);
    }

    /** The lease was given back: asking again for it is over, too. */
    synchronized void end(Key key, Nonce nonce, Fence fence) {
        held.remove(nonce);
        ended.put(new Ended(key, nonce), fence);
    }

    /** Whether a lease with this nonce has ended. */
    synchronized boolean isEnded(Key key, Nonce nonce) {
        return ended.containsKey(new Ended(key, nonce));
    }

    /** Whether the lease with this nonce, and with this fence if there is one, has ended. */
    synchronized boolean isEnded(Key key, Nonce nonce, @Nullable Fence fence) {
        Fence known = ended.get(new Ended(key, nonce));
        return known != null && (fence == null || fence.equals(known));
    }

    /** A fence for a row that keeps none: the store's clock, and larger than all that this store gave out before. */
    synchronized Fence nextFence(long nowMicros) {
        lastFence = Math.max(lastFence + 1, nowMicros);
        return Fence.of(lastFence);
    }
}
