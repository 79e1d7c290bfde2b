package dev.leasehold.benchmarks;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Does the same for many things on several threads. */
final class Parallel {
    private Parallel() {}

    /** What is done for one of them. */
    interface Step<T> {
        void run(T one) throws Exception;
    }

    static <T> void forEach(Collection<T> all, int threads, Step<T> step) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            Stream<Callable<Boolean>> calls = all.stream().map(one -> () -> {
                step.run(one);
                return true;
            });
            List<Future<Boolean>> futures = executor.invokeAll(calls.toList());
            for (Future<Boolean> future : futures) {
                future.get();
            }
        } finally {
            executor.shutdownNow();
        }
    }
}
