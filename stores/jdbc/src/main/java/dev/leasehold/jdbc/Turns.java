package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Lets the waiters and the releases of one key go to the database one after another, within this process. A waiter that
 * stands in line and a holder that releases both change the record. When they meet in the database, one of them has done
 * its work for nothing and asks again.
 *
 * <p>A turn only saves statements. A call that does not get its turn soon goes on without it, and the database decides as
 * it does between processes.
 */
final class Turns {
    private static final long PATIENCE_MILLIS = 20;

    private final Map<Key, Turn> turns = new ConcurrentHashMap<>();

    private static final class Turn {
        private final ReentrantLock lock = new ReentrantLock(true);
        /** Changed only while the map changes this entry. */
        private int users;
    }

    <T> T take(Key key, Supplier<T> call) {
        Turn turn = turns.compute(key, (same, found) -> {
            Turn joined = found == null ? new Turn() : found;
            joined.users++;
            return joined;
        });
        boolean isLocked = false;
        try {
            isLocked = tryLockSoon(turn.lock);
            return call.get();
        } finally {
            if (isLocked) {
                turn.lock.unlock();
            }
            turns.computeIfPresent(key, (same, left) -> --left.users == 0 ? null : left);
        }
    }

    /** The number of calls that wait for their turn on this key. */
    int waiting(Key key) {
        Turn turn = turns.get(key);
        return turn == null ? 0 : turn.lock.getQueueLength();
    }

    /** The number of keys with a call under way. */
    int size() {
        return turns.size();
    }

    private static boolean tryLockSoon(ReentrantLock lock) {
        try {
            return lock.tryLock(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
