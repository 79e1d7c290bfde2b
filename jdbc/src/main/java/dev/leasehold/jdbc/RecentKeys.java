package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A bounded memory of what was seen of keys lately. A hint: what it forgets or gets wrong costs time, nothing else. */
final class RecentKeys<T> {
    private static final int MOST = 4_096;

    private final Map<Key, T> seen = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, T> eldest) {
            return size() > MOST;
        }
    };

    synchronized Optional<T> get(Key key) {
        return Optional.ofNullable(seen.get(key));
    }

    synchronized void put(Key key, T what) {
        seen.put(key, what);
    }

    synchronized void forget(Key key) {
        seen.remove(key);
    }
}
