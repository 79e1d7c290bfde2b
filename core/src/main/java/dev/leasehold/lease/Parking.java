package dev.leasehold.lease;

import dev.leasehold.store.Uninterrupted;
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
    private static final long SLICE_NANOS = 10_000_000;

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
     * Waits until the future is done, for at most this long. An interrupt is kept for later.
     *
     * @return whether it is done
     */
    static boolean untilDone(CompletableFuture<?> future, Duration longest) {
        CountDownLatch isDone = new CountDownLatch(1);
        var unused = future.whenComplete((result, failure) -> isDone.countDown());
        return untilDone(isDone, longest);
    }

    /** The same for a latch. Waits slice by slice, so that no clock need be read after an interrupt. */
    static boolean untilDone(CountDownLatch latch, Duration longest) {
        boolean wasInterrupted = false;
        boolean isDone = latch.getCount() == 0;
        for (long left = longest.toNanos(); left > 0 && !isDone; left -= SLICE_NANOS) {
            try {
                isDone = latch.await(Math.min(left, SLICE_NANOS), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                left += wasInterrupted ? 0 : SLICE_NANOS; // Only once: interrupts without end do not prolong the wait.
                wasInterrupted = Uninterrupted.keep();
            }
        }
        if (wasInterrupted) {
            Uninterrupted.giveBack();
        }
        return isDone;
    }

    /** Lets time pass. An interrupt is kept for later. */
    static void pause(Duration time) {
        var unused = untilDone(new CountDownLatch(1), time);
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
            Uninterrupted.giveBack();
        }
    }

    @Override
    public boolean block() {
        while (!isReleasable()) {
            LockSupport.park(this);
            wasInterrupted |= Uninterrupted.take();
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
