package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import java.util.LinkedHashMap;
import java.util.Map;

/** A bounded memory of keys that something was true of lately. A hint: what it forgets costs time, nothing else. */
final class RecentKeys {
    private static final int MOST = 1_024;

    private final Map<Key, Boolean> keys = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Boolean> eldest) {
            return size() > MOST;
        }
    };

    synchronized boolean contains(Key key) {
        return keys.containsKey(key);
    }

    synchronized void put(Key key, boolean isTrue) {
        if (isTrue) {
            keys.put(key, true);
        } else {
            keys.remove(key);
        }
    }
}
