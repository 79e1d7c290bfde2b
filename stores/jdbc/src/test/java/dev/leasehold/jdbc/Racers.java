package dev.leasehold.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Threads that begin at the same moment. */
final class Racers {
    private Racers() {}

    /** What each of so many got. */
    static <T> List<T> race(int racers, IntFunction<Callable<T>> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(racers);
        CyclicBarrier start = new CyclicBarrier(racers);
        try {
            List<Future<T>> running = new ArrayList<>();
            for (int i = 0; i < racers; i++) {
                Callable<T> one = work.apply(i);
                running.add(threads.submit(() -> {
                    start.await();
                    return one.call();
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : running) {
                results.add(future.get(60, TimeUnit.SECONDS));
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }
}
