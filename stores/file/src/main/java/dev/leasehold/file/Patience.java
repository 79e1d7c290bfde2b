package dev.leasehold.file;

import dev.leasehold.store.Uninterrupted;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** How long one call goes on trying while others keep getting there first, and how it pauses in between. */
final class Patience {
    static final Duration LIMIT = Duration.ofSeconds(10);

    private static final long FIRST_PAUSE_NANOS = 50_000;
    private static final long LONGEST_PAUSE_NANOS = 5_000_000;

    private final long startNanos = System.nanoTime();
    private long pauseNanos = FIRST_PAUSE_NANOS;

    boolean isOver() {
        return System.nanoTime() - startNanos > LIMIT.toNanos();
    }

    /** Waits a little, and longer each time; by chance, so that those who met do not meet again. */
    void pause() {
        // A thread with its flag up cannot park.
        boolean wasInterrupted = Uninterrupted.take();
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(pauseNanos / 2, pauseNanos));
        pauseNanos = Math.min(pauseNanos * 2, LONGEST_PAUSE_NANOS);
        if (wasInterrupted) {
            Uninterrupted.giveBack();
        }
    }
}
