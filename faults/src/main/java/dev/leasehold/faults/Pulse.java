package dev.leasehold.faults;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Measures how long this machine keeps its processes waiting: a thread that sleeps briefly, and for how long it did. */
final class Pulse implements AutoCloseable {
    private static final long BEAT_MILLIS = 20;

    private final AtomicLong stalledNanos = new AtomicLong();
    private final Thread thread = new Thread(this::beat, "pulse");

    Pulse() {
        thread.setDaemon(true);
        thread.start();
    }

    private void beat() {
        try {
            while (true) {
                long before = System.nanoTime();
                TimeUnit.MILLISECONDS.sleep(BEAT_MILLIS);
                long excess = System.nanoTime() - before - TimeUnit.MILLISECONDS.toNanos(BEAT_MILLIS);
                stalledNanos.addAndGet(Math.max(0, excess));
            }
        } catch (InterruptedException e) {
            // Closed.
            Thread.currentThread().interrupt();
        }
    }

    /** How long it was kept waiting so far. */
    long stalledNanos() {
        return stalledNanos.get();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
