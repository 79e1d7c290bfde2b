package dev.leasehold.jdbc;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.State;
import dev.leasehold.wire.BoundedMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What this process last saw of a few thousand keys. A hint: what it forgets or gets wrong costs time, nothing else. Safe
 * for use by many threads.
 */
final class KeyMemory {
    private static final int MOST = 4_096;

    private final Map<Key, Seen> keys = new BoundedMap<>(MOST);
    private volatile boolean isGuessedFree;

    private record Seen(State state, @Nullable Fence fence, boolean isWaitedFor) {}

    synchronized void sawFree(Key key, Fence fence) {
        keys.put(key, new Seen(State.FREE, fence, false));
    }

    synchronized void sawHeld(Key key, boolean isWaitedFor) {
        keys.put(key, new Seen(State.HELD, null, isWaitedFor));
    }

    synchronized void sawSettled(Key key, State state) {
        keys.put(key, new Seen(state, null, false));
    }

    synchronized void forget(Key key) {
        keys.remove(key);
    }

    /** The fence of a record that was free. */
    synchronized Optional<Fence> free(Key key) {
        Seen seen = keys.get(key);
        return seen == null ? Optional.empty() : Optional.ofNullable(seen.fence);
    }

    boolean isUnknown(Key key) {
        return !is(key, seen -> true);
    }

    /** Whether the last key that nothing was known of had a free record: the next may have one too. */
    boolean isGuessedFree() {
        return isGuessedFree;
    }

    void guessFree(boolean isFree) {
        isGuessedFree = isFree;
    }

    /** It was somebody's, or settled. */
    boolean isTaken(Key key) {
        return is(key, seen -> seen.state != State.FREE);
    }

    boolean isHeld(Key key) {
        return is(key, seen -> seen.state == State.HELD);
    }

    /** It had an answer. */
    boolean isSettled(Key key) {
        return is(key, seen -> seen.state != State.FREE && seen.state != State.HELD);
    }

    boolean isWaitedFor(Key key) {
        return is(key, Seen::isWaitedFor);
    }

    private synchronized boolean is(Key key, Predicate<Seen> condition) {
        Seen seen = keys.get(key);
        return seen != null && condition.test(seen);
    }
}
