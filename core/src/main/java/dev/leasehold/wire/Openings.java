package dev.leasehold.wire;

import dev.leasehold.store.Threads;
import dev.leasehold.store.Uninterrupted;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens lanes, each on a thread of its own, for two reasons. A driver or a pool may wait for longer than a call may take;
 * what it opens in the end serves the next call. And a framework's source may give a thread the connection of the
 * transaction that the thread is in. Safe for use by many threads.
 */
public final class Openings<L extends Lanes.Lane> implements AutoCloseable {
    private final Callable<L> connect;
    private final Queue<Opening> late = new ConcurrentLinkedQueue<>();
    private volatile boolean isClosed;

    public Openings(Callable<L> connect) {
        this.connect = connect;
    }

    /** Not a {@code CompletableFuture}, which on a worker of a ForkJoin pool runs other tasks while it waits. */
    private final class Opening extends FutureTask<L> {
        private final AtomicBoolean isPassedOn = new AtomicBoolean();
        private volatile @Nullable Consumer<Optional<L>> taker;
        private volatile @Nullable Thread waiting;

        Opening() {
            super(connect);
        }

        boolean hasFailed() {
            if (!isDone()) {
                return false;
            }
            try {
                opened(this);
                return false;
            } catch (ExecutionException e) {
                return true;
            }
        }

        @Override
        protected void done() {
            LockSupport.unpark(waiting);
            passOn();
            if (isClosed) {
                closeLate();
            }
        }

        /** Leaves the lane to the taker, once it is there, or tells that it failed. */
        void leaveTo(Consumer<Optional<L>> other) {
            taker = other;
            passOn();
        }

        private void passOn() {
            Consumer<Optional<L>> other = taker;
            if (other != null && isDone() && isPassedOn.compareAndSet(false, true)) {
                other.accept(hasFailed() ? Optional.empty() : Optional.of(result(this)));
            }
        }
    }

    /**
     * Opens a new lane, or waits for one that an earlier caller did not wait for; see {@link Lanes.LaneSource#open}.
     *
     * @return empty if the caller was served first
     * @throws TimeoutException if the lane was not opened in time
     * @throws ExecutionException if the lane cannot be opened, with what the driver threw
     */
    public Optional<L> open(Duration atMost, BooleanSupplier isServed, Consumer<Optional<L>> taker)
            throws TimeoutException, ExecutionException {
        Opening opening = late.poll();
        while (opening != null && opening.hasFailed()) {
            opening = late.poll();
        }
        return await(opening == null ? start() : opening, atMost, isServed, taker);
    }

    private Opening start() {
        Opening opening = new Opening();
        start(opening);
        return opening;
    }

    /** Starts a task on a thread of its own, which inherits no variables; see {@link Threads#daemon}. */
    public static void start(Runnable task) {
        Threads.daemon("leasehold-connect", task).start();
    }

    private Optional<L> await(Opening opening, Duration atMost, BooleanSupplier isServed, Consumer<Optional<L>> taker)
            throws TimeoutException, ExecutionException {
        long end = System.nanoTime() + atMost.toNanos();
        boolean wasInterrupted = false;
        opening.waiting = Thread.currentThread();
        try {
            while (!opening.isDone() && !isServed.getAsBoolean() && end - System.nanoTime() > 0) {
                LockSupport.parkNanos(this, end - System.nanoTime());
                wasInterrupted |= Uninterrupted.take(); // As for a lane: this is short.
            }
            if (opening.isDone()) {
                return Optional.of(opened(opening));
            }
            if (isServed.getAsBoolean()) {
                opening.leaveTo(taker);
                return Optional.empty();
            }
            keepForNext(opening);
            throw new TimeoutException("No lane was opened within " + atMost.toMillis() + " ms.");
        } finally {
            if (wasInterrupted) {
                Uninterrupted.giveBack();
            }
        }
    }

    private void keepForNext(Opening opening) {
        late.add(opening);
        if (isClosed) {
            closeLate();
        }
    }

    /** Closes what is opened too late for any call. */
    @Override
    public void close() {
        isClosed = true;
        closeLate();
    }

    private void closeLate() {
        for (Opening opening : List.copyOf(late)) {
            if (opening.isDone() && late.remove(opening) && !opening.hasFailed()) {
                result(opening).close();
            }
        }
    }

    /** The lane of an opening that did not fail. */
    private L result(Opening done) {
        try {
            return opened(done);
        } catch (ExecutionException e) {
            throw new IllegalStateException("A lane that was opened cannot be had.", e);
        }
    }

    private L opened(Opening done) throws ExecutionException {
        return Uninterrupted.await(done::get);
    }
}
