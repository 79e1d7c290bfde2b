package dev.leasehold.cli;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what must be there before a command can start, but not beyond the first signal that asks for the end. */
final class Patience {
    /** The end of the time that an answer may take: long enough to tell a process that is held up from one that waits. */
    private static final Duration STRETCH = Duration.ofSeconds(10);

    /** How many of them there are at most, for a process that is held up in each. */
    private static final int STRETCHES = 12;

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

    /**
     * Gives the result, or cancels what would give it. Whether somebody does not answer in time is not known while this
     * process itself hardly had the time to ask.
     */
    <T> T await(CompletableFuture<T> future, Duration longest)
            throws StoppedException, TimeoutException, ExecutionException, InterruptedException {
        CompletableFuture<Object> either = CompletableFuture.anyOf(future, signal);
        try {
            boolean isThere = isDone(either, longest.minus(STRETCH));
            OwnPace pace = new OwnPace();
            for (int stretch = 0; !isThere && stretch < STRETCHES; stretch++) {
                isThere = isDone(either, STRETCH);
                if (!isThere && !pace.isHeldUp()) {
                    break;
                }
            }
            if (!isThere) {
                throw new TimeoutException();
            }
            check();
            return future.get();
        } finally {
            future.cancel(true);
        }
    }

    private static boolean isDone(CompletableFuture<Object> either, Duration within)
            throws ExecutionException, InterruptedException {
        try {
            either.get(within.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }
}
