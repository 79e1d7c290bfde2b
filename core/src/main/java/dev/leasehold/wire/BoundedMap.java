package dev.leasehold.wire;

import java.util.LinkedHashMap;
import java.util.Map;

/** A map with a largest size: it forgets the entry that was not used for longest. Not safe for use by many threads. */
public final class BoundedMap<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;

    private final int most;

    public BoundedMap(int most) {
        super(16, 0.75f, true);
        this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
    }
}
