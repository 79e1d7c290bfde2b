package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets the threads of one process use one connection by turns. SQLite has one writer at a time anyway, and those who
 * queue for it here are woken when it is free, while connections of their own would sleep and look again.
 */
final class OneByOne implements Worker {
    private final Worker shared;
    private final ReentrantLock turn;

    OneByOne(Worker shared, ReentrantLock turn) {
        this.shared = shared;
        this.turn = turn;
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
