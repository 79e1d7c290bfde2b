package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** What all threads of a contestant do again and again, and a watch that nobody else has what they have. */
abstract class Work<W extends Worker> implements AutoCloseable {
    final Exclusion exclusion = new Exclusion();

    /** Makes the records, and lets clients that treat a name's first use differently get it over with. */
    void prepare(List<W> workers) throws Exception {}

    /** Is called before the workers start on a slice. */
    void begin() {}

    /** One operation. */
    abstract void once(W worker, int thread, Samples samples) throws Exception;

    @Override
    public void close() throws SQLException {}

    /** Acquires and releases a key that nobody else wants; the time of both counts. The records are there. */
    static class Alone extends Work<Worker.Locker> {
        final KeySpace keys;

        Alone(KeySpace keys) {
            this.keys = keys;
        }

        @Override
        final void once(Worker.Locker worker, int thread, Samples samples) throws Exception {
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
        }
    }

    /** The same, with records that are made while preparing. */
    static final class AloneFromScratch extends Alone {
        AloneFromScratch(KeySpace keys) {
            super(keys);
        }

        @Override
        void prepare(List<Worker.Locker> workers) throws Exception {
            for (int thread = 0; thread < workers.size(); thread++) {
                for (String key : keys.of(thread)) {
                    Optional<Worker.Hold> hold = workers.get(thread).tryAcquire(key);
                    if (hold.isPresent()) {
                        hold.get().release();
                    }
                }
            }
        }
    }

    /** Asks for a key that somebody else holds. To get it is an overlap. */
    static final class Skip extends Work<Worker.Locker> {
        private static final int HELD_KEYS = 100;

        private final KeySpace keys;
        private final Node<Worker.Locker> rival;
        private final Worker.Locker holder;

        /** Holds keys of its own for each name: contestants that share tables must not share keys that are held. */
        Skip(String name, Callable<Node<Worker.Locker>> client) throws Exception {
            this.keys = new KeySpace(name + "-", HELD_KEYS, 1);
            this.rival = client.call();
            this.holder = rival.worker();
            for (String key : keys.of(0)) {
                if (holder.tryAcquire(key).isEmpty()) {
                    throw new IllegalStateException(name + " refused " + key);
                }
            }
        }

        @Override
        void once(Worker.Locker worker, int thread, Samples samples) throws Exception {
            String key = keys.next(thread);
            long start = System.nanoTime();
            Optional<Worker.Hold> hold = worker.tryAcquire(key);
            samples.add(System.nanoTime() - start);
            if (hold.isPresent()) {
                exclusion.breached();
                hold.get().release();
            }
        }

        @Override
        public void close() throws SQLException {
            holder.close();
            rival.close();
        }
    }

    /** Waits for the one key that all want, and works for a moment or not at all; the time of waiting counts. */
    static final class InTurn extends Work<Worker.Waiter> {
        private final String key;
        private final long taskNanos;
        private final Gap gap = new Gap();
        private final AtomicInteger last = new AtomicInteger(-1);

        InTurn(String name, Duration task) {
            this.key = "wanted-from-" + name;
            this.taskNanos = task.toNanos();
        }

        @Override
        void begin() {
            gap.begin();
        }

        @Override
        void once(Worker.Waiter worker, int thread, Samples samples) throws Exception {
            long start = System.nanoTime();
            Worker.Hold hold;
            try {
                hold = worker.acquire(key);
            } catch (TimeoutException e) {
                samples.timedOut();
                return;
            }
            long granted = System.nanoTime();
            samples.add(granted - start);
            samples.addGap(gap.end(granted));
            exclusion.enter(key);
            if (last.getAndSet(thread) == thread) {
                samples.stayed();
            }
            work(granted + taskNanos);
            exclusion.leave(key);
            gap.start(System.nanoTime());
            hold.release();
        }

        /** A client may leave its thread a permit, with which a single park would return at once. */
        private static void work(long end) {
            for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
    }

    /** Asks for the answer of a run. Another one than that of the key counts as an overlap. */
    static class Run extends Work<Worker.Runner> {
        private final Supplier<String> keys;

        Run(Supplier<String> keys) {
            this.keys = keys;
        }

        /** Runs that nobody has asked for before. */
        static Run first(String name) {
            AtomicLong runs = new AtomicLong();
            return new Run(() -> "new-" + name + runs.incrementAndGet());
        }

        @Override
        final void once(Worker.Runner worker, int thread, Samples samples) throws Exception {
            String key = keys.get();
            long start = System.nanoTime();
            String answer = worker.once(key);
            samples.add(System.nanoTime() - start);
            if (!answer.equals(key)) {
                exclusion.breached();
            }
        }
    }

    /** Asks for runs that have their answer. */
    static final class Replay extends Run {
        private final KeySpace keys;

        Replay(KeySpace keys) {
            super(() -> keys.next(0));
            this.keys = keys;
        }

        @Override
        void prepare(List<Worker.Runner> workers) throws Exception {
            for (String key : keys.of(0)) {
                workers.get(0).once(key);
                workers.get(0).once(key);
            }
        }
    }
}
