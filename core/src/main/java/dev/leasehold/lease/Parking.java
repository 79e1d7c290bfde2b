package dev.leasehold.lease;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a future by parking the thread. {@code CompletableFuture.get()} does more on a worker of a ForkJoin pool: it
 * runs other queued tasks on top of the waiting one, which may hold what they wait for. Here the pool is told that its
 * worker blocks, so that it may start another one, and nothing else runs on this thread.
 */
final class Parking implements ForkJoinPool.ManagedBlocker, BiConsumer<Object, @Nullable Throwable> {
    private final Thread thread = Thread.currentThread();
    private final CompletableFuture<?> future;
    private final long start = System.nanoTime();
    private final long longestNanos;
    private final boolean isInterruptible;
    private boolean wasInterrupted;

    private Parking(CompletableFuture<?> future, long longestNanos, boolean isInterruptible) {
        this.future = future;
        this.longestNanos = longestNanos;
        this.isInterruptible = isInterruptible;
    }

    /** Waits until the future is done. An interrupt is kept for later. */
    static void untilDone(CompletableFuture<?> future) {
        if (!future.isDone()) {
            new Parking(future, Long.MAX_VALUE, false).park();
        }
    }

    /**
     * Waits until the future is done, for at most this long.
     *
     * @return whether it is done
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    static boolean isDone(CompletableFuture<?> future, long longestNanos) throws InterruptedException {
        if (!future.isDone()) {
            Parking parking = new Parking(future, longestNanos, true);
            parking.park();
            if (parking.wasInterrupted && !future.isDone()) {
                Thread.interrupted();
                throw new InterruptedException();
            }
        }
        return future.isDone();
    }

    private void park() {
        var unused = future.whenComplete(this);
        try {
            ForkJoinPool.managedBlock(this);
        } catch (RejectedExecutionException | InterruptedException | Error e) {
            block(); // The pool has no other worker to offer; this one waits all the same.
        }
        if (wasInterrupted) {
            thread.interrupt();
        }
    }

    @Override
    public boolean block() {
        while (!isReleasable()) {
            LockSupport.parkNanos(this, left());
            wasInterrupted |= Thread.interrupted();
        }
        return true;
    }

    @Override
    public boolean isReleasable() {
        return future.isDone() || (isInterruptible && wasInterrupted) || left() <= 0;
    }

    private long left() {
        return longestNanos == Long.MAX_VALUE ? Long.MAX_VALUE : longestNanos - (System.nanoTime() - start);
    }

    /** The future is done. */
    @Override
    public void accept(Object result, @Nullable Throwable failure) {
        LockSupport.unpark(thread);
    }
}
