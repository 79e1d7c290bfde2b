package dev.leasehold.spring.bridge;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One daemon thread that says when locks are over. It waits for nothing. After {@link #close} nothing ends by time any
 * more: the client, which is closed then too, leaves the leases to their TTL. Safe for use by many threads.
 */
public final class EndTimer implements AutoCloseable {
    private final ScheduledThreadPoolExecutor timer;

    /** A timer whose thread has this name. */
    public EndTimer(String name) {
        this.timer = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    Future<?> schedule(Runnable end, Duration delay) {
        return timer.schedule(end, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
