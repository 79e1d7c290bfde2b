package dev.leasehold.wire;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Opens lanes, each on a thread of its own, for two reasons. A driver or a pool may wait for longer than a call may take;
 * what it opens in the end serves the next call. And a framework's source may give a thread the connection of the
 * transaction that the thread is in. Safe for use by many threads.
 */
public final class Openings<L extends Lanes.Lane> implements AutoCloseable {
    private final Callable<L> connect;
    private final Queue<CompletableFuture<L>> late = new ConcurrentLinkedQueue<>();
    private volatile boolean isClosed;

    public Openings(Callable<L> connect) {
        this.connect = connect;
    }

    /**
     * A new lane.
     *
     * @throws TimeoutException if none could be had within this time
     * @throws ExecutionException if none can be had, with what the driver threw
     */
    public L open(Duration atMost) throws TimeoutException, ExecutionException {
        CompletableFuture<L> opening = late.poll();
        while (opening != null && opening.isCompletedExceptionally()) {
            opening = late.poll();
        }
        return await(opening == null ? start() : opening, atMost);
    }

    private CompletableFuture<L> start() {
        CompletableFuture<L> opening = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        opening.complete(connect.call());
                    } catch (Throwable e) {
                        opening.completeExceptionally(e);
                    }
                },
                "leasehold-connect");
        thread.setDaemon(true);
        thread.start();
        return opening;
    }

    private L await(CompletableFuture<L> opening, Duration atMost) throws TimeoutException, ExecutionException {
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
            keepForLater(opening);
            throw e;
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void keepForLater(CompletableFuture<L> opening) {
        late.add(opening);
        if (isClosed) {
            close();
        }
    }

    /** Closes what is opened too late for anybody. */
    @Override
    public void close() {
        isClosed = true;
        for (CompletableFuture<L> opening = late.poll(); opening != null; opening = late.poll()) {
            CompletableFuture<Void> unused = opening.thenAccept(Lanes.Lane::close);
        }
    }
}
