package dev.leasehold.wire;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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
        Opening() {
            super(connect);
        }

        boolean hasFailed() {
            if (!isDone()) {
                return false;
            }
            try {
                get();
                return false;
            } catch (InterruptedException | ExecutionException e) {
                return true;
            }
        }

        @Override
        protected void done() {
            if (isClosed) {
                closeLate();
            }
        }
    }

    /**
     * A new lane.
     *
     * @throws TimeoutException if none could be had within this time
     * @throws ExecutionException if none can be had, with what the driver threw
     */
    public L open(Duration atMost) throws TimeoutException, ExecutionException {
        Opening opening = late.poll();
        while (opening != null && opening.hasFailed()) {
            opening = late.poll();
        }
        return await(opening == null ? start() : opening, atMost);
    }

    private Opening start() {
        Opening opening = new Opening();
        Thread thread = new Thread(opening, "leasehold-connect");
        thread.setDaemon(true);
        thread.start();
        return opening;
    }

    private L await(Opening opening, Duration atMost) throws TimeoutException, ExecutionException {
        long end = System.nanoTime() + atMost.toNanos();
        boolean wasInterrupted = false;
        try {
            while (true) {
                try {
                    return opening.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    wasInterrupted = true; // As for a lane: this is short, and whoever waits is woken by other means.
                }
            }
        } catch (TimeoutException e) {
            late.add(opening);
            if (isClosed) {
                closeLate();
            }
            throw e;
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
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
                closeLane(opening);
            }
        }
    }

    private void closeLane(Opening opening) {
        try {
            opening.get().close();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("A lane that was opened cannot be had.", e);
        }
    }
}
