package dev.leasehold.cli;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what must be there before a command can start, but not beyond the first signal that asks for the end. */
final class Patience {
    private final CompletableFuture<String> signal = new CompletableFuture<>();

    /** A signal asked for the end before there was a command. */
    static final class StoppedException extends Exception {
        private static final long serialVersionUID = 1L;

        final String signal;

        StoppedException(String signal) {
            super("Stopped by the signal " + signal);
            this.signal = signal;
        }
    }

    /** The signal came. */
    void end(String name) {
        signal.complete(name);
    }

    boolean isOver() {
        return signal.isDone();
    }

    void check() throws StoppedException {
        if (isOver()) {
            throw new StoppedException(signal.join());
        }
    }

    /** Gives the result, or cancels what would give it. */
    <T> T await(CompletableFuture<T> future, Duration longest)
            throws StoppedException, TimeoutException, ExecutionException, InterruptedException {
        try {
            CompletableFuture.anyOf(future, signal).get(longest.toMillis(), TimeUnit.MILLISECONDS);
            check();
            return future.get();
        } finally {
            future.cancel(true);
        }
    }
}
