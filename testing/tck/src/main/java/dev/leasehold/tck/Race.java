package dev.leasehold.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** Threads that start at the same moment. */
public final class Race {
    private static final long LIMIT_SECONDS = 120;

    private Race() {}

    /** What each of so many racers got, in no particular order of events. Fails if one of them threw or got stuck. */
    public static <T> List<T> of(int racers, IntFunction<Callable<T>> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(racers);
        CyclicBarrier start = new CyclicBarrier(racers);
        try {
            List<Future<T>> futures = new ArrayList<>();
            for (int racer = 0; racer < racers; racer++) {
                Callable<T> mine = work.apply(racer);
                futures.add(threads.submit(() -> {
                    start.await();
                    return mine.call();
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(result(future));
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private static <T> T result(Future<T> future) throws Exception {
        try {
            return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("A racer got an exception.", e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("A racer was stuck for " + LIMIT_SECONDS + " s.", e);
        }
    }
}
