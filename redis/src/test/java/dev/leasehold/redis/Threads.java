package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/** Threads of tests, and waiting for them. */
final class Threads {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private Threads() {}

    /** Work on a thread of its own. */
    record Running<T>(Thread thread, FutureTask<T> task) {
        T get() throws Exception {
            return task.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        /** Whether it waits for its turn, as {@code Lanes} lets it: with a limit. */
        boolean isQueued() {
            return thread.getState() == Thread.State.TIMED_WAITING;
        }
    }

    static <T> Running<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "test");
        thread.setDaemon(true);
        thread.start();
        return new Running<>(thread, task);
    }

    /** What each of so many racers got who started at the same moment. Fails if one of them threw or got stuck. */
    static <T> List<T> race(int racers, IntFunction<T> work) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<Running<T>> running = new ArrayList<>();
        for (int i = 0; i < racers; i++) {
            int racer = i;
            running.add(start(() -> {
                start.await();
                return work.apply(racer);
            }));
        }
        start.countDown();
        List<T> results = new ArrayList<>();
        for (Running<T> one : running) {
            results.add(one.get());
        }
        return results;
    }

    static void eventually(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("in good time: " + what).isNegative();
            LockSupport.parkNanos(2_000_000);
        }
    }

    /** Lets time pass that a real clock has to count. */
    static void pause(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
