package dev.leasehold.servers.firestore;

import java.time.InstantSource;

/**
 * The server's time: follows a wall clock and never goes back. A commit is later than every read and commit before it,
 * so a read at some time sees exactly the commits up to that time, for ever. Used under the engine's lock.
 */
final class ServerClock {
    private final InstantSource source;
    private long last;

    ServerClock(InstantSource source) {
        this.source = source;
    }

    long now() {
        return Math.max(last, Micros.of(source.instant()));
    }

    long readTime() {
        last = now();
        return last;
    }

    long commitTime() {
        last = Math.max(last + 1, Micros.of(source.instant()));
        return last;
    }

    /** Makes every later time greater than this one. */
    void startAfter(long micros) {
        last = Math.max(last, micros);
    }
}
