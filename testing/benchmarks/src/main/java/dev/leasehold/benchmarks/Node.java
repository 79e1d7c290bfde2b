package dev.leasehold.benchmarks;

import java.util.concurrent.Callable;

/**
 * One client of a contestant.
 *
 * @param workers makes one for each thread
 * @param end closes what they share
 */
record Node<W extends Worker>(Callable<W> workers, Runnable end) implements AutoCloseable {
    /** A client whose workers share nothing. */
    Node(Callable<W> workers) {
        this(workers, () -> {});
    }

    W worker() throws Exception {
        return workers.call();
    }

    @Override
    public void close() {
        end.run();
    }
}
