package dev.leasehold.benchmarks;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/** Locks that look like those of the JDK. */
final class JavaLocks {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private JavaLocks() {}

    static Optional<Worker.Hold> tryAcquire(Lock lock) {
        return lock.tryLock() ? Optional.of(lock::unlock) : Optional.empty();
    }

    static Worker.Hold acquire(Lock lock) throws InterruptedException {
        if (!lock.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("No lock within " + PATIENCE);
        }
        return lock::unlock;
    }
}
