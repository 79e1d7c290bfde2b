package dev.leasehold.lease;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
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
    private final boolean isInterruptible;
    private boolean wasInterrupted;

    private Parking(CompletableFuture<?> future, boolean isInterruptible) {
        this.future = future;
        this.isInterruptible = isInterruptible;
    }

    /** Waits until the future is done. An interrupt is kept for later. */
    static void untilDone(CompletableFuture<?> future) {
        if (!future.isDone()) {
            new Parking(future, false).park();
        }
    }

    /**
     * Waits until the future is done, for at most this long.
     *
     * @return whether it is done
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    static boolean untilDone(CompletableFuture<?> future, Duration longest) throws InterruptedException {
        CountDownLatch isDone = new CountDownLatch(1);
        var unused = future.whenComplete((result, failure) -> isDone.countDown());
        return isDone.await(longest.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Waits this long, unless an interrupt ends the pause. */
    static void pause(Duration length) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1); // No thread counts it down.
        var unused = never.await(length.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Waits until the future is done.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    static void untilDoneOrInterrupted(CompletableFuture<?> future) throws InterruptedException {
        if (!future.isDone()) {
            Parking parking = new Parking(future, true);
            parking.park();
            if (parking.wasInterrupted && !future.isDone()) {
                Thread.interrupted();
                throw new InterruptedException();
            }
        }
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
            LockSupport.park(this);
            wasInterrupted |= Thread.interrupted();
        }
        return true;
    }

    @Override
    public boolean isReleasable() {
        return future.isDone() || (isInterruptible && wasInterrupted);
    }

    /** The future is done. */
    @Override
    public void accept(Object result, @Nullable Throwable failure) {
        LockSupport.unpark(thread);
    }
}
