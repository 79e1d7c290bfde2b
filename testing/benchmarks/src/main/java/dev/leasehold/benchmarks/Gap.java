package dev.leasehold.benchmarks;

import java.util.concurrent.atomic.AtomicLong;

/** The time in which no worker holds the key that all of them want. Safe for use by many threads. */
final class Gap {
    private static final long NONE = Long.MIN_VALUE;

    private final AtomicLong start = new AtomicLong(NONE);

    /** Forgets the last release: the workers stop between slices. */
    void begin() {
        start.set(NONE);
    }

    /** A worker is about to release the key. */
    void start(long nanos) {
        start.set(nanos);
    }

    /** A worker was granted the key. Returns the time since the last release; 0 for the first grant of a slice. */
    long end(long nanos) {
        long released = start.getAndSet(NONE);
        return released == NONE ? 0 : nanos - released;
    }
}
