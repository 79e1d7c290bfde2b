package dev.leasehold.benchmarks;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** What the threads of each cell do again and again. All of them watch that nobody else has what they have. */
final class Work {
    private static final long TASK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private Work() {}

    /** Acquires and releases a key that nobody else wants; the time of both counts. */
    static Slice.Task alone(KeySpace keys, Exclusion exclusion) {
        return (worker, thread, samples) -> {
            String key = keys.next(thread);
            long start = System.nanoTime();
            Optional<Worker.Hold> hold = worker.tryAcquire(key);
            if (hold.isEmpty()) {
                samples.refused();
                return;
            }
            exclusion.enter(key);
            exclusion.leave(key);
            hold.get().release();
            samples.add(System.nanoTime() - start);
        };
    }

    /** Asks for a key that somebody else holds. To get it is an overlap. */
    static Slice.Task skip(KeySpace keys, Exclusion exclusion) {
        return (worker, thread, samples) -> {
            String key = keys.next(thread);
            long start = System.nanoTime();
            Optional<Worker.Hold> hold = worker.tryAcquire(key);
            samples.add(System.nanoTime() - start);
            if (hold.isPresent()) {
                exclusion.enter(key);
                hold.get().release();
            }
        };
    }

    /** Asks for the answer of a run. Another one than that of the key counts as an overlap. */
    static Slice.Task once(Supplier<String> keys, Exclusion exclusion) {
        return (worker, thread, samples) -> {
            String key = keys.get();
            long start = System.nanoTime();
            String answer = worker.once(key);
            samples.add(System.nanoTime() - start);
            if (!answer.equals(key)) {
                exclusion.enter(key);
                exclusion.enter(key);
            }
        };
    }

    /** Counts how often a lock went from one node to another. */
    static final class Changes {
        private final AtomicInteger last = new AtomicInteger(-1);
        private final AtomicLong count = new AtomicLong();

        void owner(int node) {
            if (last.getAndSet(node) != node) {
                count.incrementAndGet();
            }
        }

        long count() {
            return count.get();
        }
    }

    /** Waits for the one key that all want, and works for a millisecond; the time of waiting counts. */
    static Slice.Task inTurn(String key, Exclusion exclusion, Changes changes) {
        return (worker, thread, samples) -> {
            long start = System.nanoTime();
            Worker.Hold hold = worker.acquire(key);
            samples.add(System.nanoTime() - start);
            exclusion.enter(key);
            changes.owner(thread);
            LockSupport.parkNanos(TASK_NANOS);
            exclusion.leave(key);
            hold.release();
        };
    }
}
