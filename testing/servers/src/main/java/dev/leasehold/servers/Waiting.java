package dev.leasehold.servers;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Bounded, polled waiting for other processes: their time cannot be injected. */
final class Waiting {
    private static final long STEP_MILLIS = 10;

    private Waiting() {}

    /** Whether it came true in time. */
    static boolean until(BooleanSupplier condition, int seconds) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            briefly();
        }
        return true;
    }

    static void briefly() {
        try {
            Thread.sleep(STEP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for a server.", e);
        }
    }
}
