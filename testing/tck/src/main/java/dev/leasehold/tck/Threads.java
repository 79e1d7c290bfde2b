package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Threads of tests, and waiting for what they or others do. */
public final class Threads {
    /** Far more than anything takes, so that a busy machine fails no test. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Threads() {}

    /** Work on a thread of its own. */
    public record Running<T>(Thread thread, FutureTask<T> task) {
        /** Its result. Fails if it threw or got stuck. */
        public T get() throws Exception {
            return task.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        /** Whether it waits for another thread. */
        public boolean isWaiting() {
            return thread.getState() == Thread.State.TIMED_WAITING || thread.getState() == Thread.State.WAITING;
        }
    }

    public static <T> Running<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "test");
        thread.setDaemon(true);
        thread.start();
        return new Running<>(thread, task);
    }

    /** Waits until this is so. */
    public static void eventually(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("in good time: " + what).isNegative();
            LockSupport.parkNanos(2_000_000);
        }
    }

    /** Lets time pass that a real clock has to count. */
    public static void pause(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
