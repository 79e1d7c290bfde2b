package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets the threads of one process use one connection by turns. SQLite has one writer at a time anyway, and those who
 * queue for it here are woken when it is free, while connections of their own would sleep and look again.
 */
final class OneByOne implements Worker.Locker {
    private final Worker.Locker shared;
    private final ReentrantLock turn = new ReentrantLock();

    private OneByOne(Worker.Locker shared) {
        this.shared = shared;
    }

    static Node<Worker.Locker> node(Worker.Locker shared) {
        OneByOne worker = new OneByOne(shared);
        return new Node<>(() -> worker);
    }

    @Override
    public Optional<Hold> tryAcquire(String key) throws Exception {
        turn.lock();
        try {
            return shared.tryAcquire(key).map(hold -> () -> release(hold));
        } finally {
            turn.unlock();
        }
    }

    private void release(Hold hold) throws Exception {
        turn.lock();
        try {
            hold.release();
        } finally {
            turn.unlock();
        }
    }

    @Override
    public void close() throws SQLException {
        shared.close();
    }
}
