package dev.leasehold.benchmarks;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/** Notices when a key is held twice at once. Safe for use by many threads. */
final class Exclusion {
    private final ConcurrentMap<String, AtomicBoolean> held = new ConcurrentHashMap<>();
    private final LongAdder overlaps = new LongAdder();

    void enter(String key) {
        if (!held.computeIfAbsent(key, k -> new AtomicBoolean()).compareAndSet(false, true)) {
            overlaps.increment();
        }
    }

    void leave(String key) {
        AtomicBoolean mark = held.get(key);
        if (mark != null) {
            mark.set(false);
        }
    }

    /** Somebody was given what is not his: a key that is held all the time, or the answer of another key. */
    void breached() {
        overlaps.increment();
    }

    /** How often somebody entered while somebody else was inside, or was given what is not his. */
    long overlaps() {
        return overlaps.sum();
    }
}
