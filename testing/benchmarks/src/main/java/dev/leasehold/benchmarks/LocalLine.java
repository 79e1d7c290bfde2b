package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;

/** The floor of W3a: the threads of one process stand in a fair line in memory, and the first asks the store. */
final class LocalLine implements Worker.Waiter {
    private final Worker.Locker shared;
    private final ReentrantLock line = new ReentrantLock(true);

    private LocalLine(Worker.Locker shared) {
        this.shared = shared;
    }

    static Node<Worker.Waiter> node(Worker.Locker shared) {
        LocalLine line = new LocalLine(shared);
        return new Node<>(() -> line);
    }

    @Override
    public Hold acquire(String key) throws Exception {
        Hold first = JavaLocks.acquire(line);
        Hold lock = shared.tryAcquire(key)
                .orElseThrow(() -> new IllegalStateException("Another process holds " + key + "."));
        return () -> {
            try {
                lock.release();
            } finally {
                first.release();
            }
        };
    }

    @Override
    public void close() throws SQLException {
        shared.close();
    }
}
