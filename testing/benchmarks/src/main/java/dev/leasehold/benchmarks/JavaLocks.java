package dev.leasehold.benchmarks;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;

/** Locks that look like those of the JDK. */
final class JavaLocks {
    private JavaLocks() {}

    static Optional<Worker.Hold> tryAcquire(Lock lock) {
        return lock.tryLock() ? Optional.of(lock::unlock) : Optional.empty();
    }

    static Worker.Hold acquire(Lock lock) throws InterruptedException, TimeoutException {
        if (!lock.tryLock(Worker.Waiter.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new TimeoutException("No lock within " + Worker.Waiter.PATIENCE);
        }
        return lock::unlock;
    }
}
