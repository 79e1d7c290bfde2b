package dev.leasehold.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A stretch of time in which one contestant had the machine to itself.
 *
 * @param perThread what each thread did
 * @param seconds from the start of the first operation to the end of the last
 */
record Slice(List<Samples> perThread, double seconds) {
    /** Every worker repeats the work, on a thread of its own, for so long. */
    static <W extends Worker> Slice run(List<W> workers, Duration length, Work<W> work) throws Exception {
        return run(workers, length, Long.MAX_VALUE, work);
    }

    /** The same, but all workers stop when they have done so many operations together. */
    static <W extends Worker> Slice run(List<W> workers, Duration length, long operations, Work<W> work)
            throws Exception {
        work.begin();
        AtomicLong left = new AtomicLong(operations);
        ExecutorService threads = Executors.newFixedThreadPool(workers.size());
        try {
            CountDownLatch gate = new CountDownLatch(1);
            List<Future<Samples>> futures = new ArrayList<>();
            for (int i = 0; i < workers.size(); i++) {
                int thread = i;
                futures.add(threads.submit(() -> {
                    Samples samples = new Samples();
                    gate.await();
                    long end = System.nanoTime() + length.toNanos();
                    do {
                        work.once(workers.get(thread), thread, samples);
                    } while (left.decrementAndGet() > 0 && System.nanoTime() < end);
                    return samples;
                }));
            }
            long start = System.nanoTime();
            gate.countDown();
            List<Samples> perThread = new ArrayList<>();
            for (Future<Samples> future : futures) {
                perThread.add(future.get());
            }
            return new Slice(perThread, (System.nanoTime() - start) / 1e9);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            threads.shutdownNow();
        }
    }

    Samples all() {
        return Samples.merged(perThread);
    }

    /** Operations, whatever they changed. */
    double turnsPerSecond() {
        return perThread.stream().mapToLong(Samples::count).sum() / seconds;
    }

    double perSecond() {
        return perThread.stream().mapToLong(Samples::changes).sum() / seconds;
    }
}
