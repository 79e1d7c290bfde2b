package dev.leasehold.cli;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for something that another process does, and not for ever. */
final class Waiting {
    private static final Duration LONGEST = Duration.ofSeconds(40);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private Waiting() {}

    static void until(BooleanSupplier condition, Supplier<String> what) {
        until(condition, LONGEST, what);
    }

    static void until(BooleanSupplier condition, Duration longest, Supplier<String> what) {
        long end = System.nanoTime() + longest.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("Waited in vain for " + what.get());
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
