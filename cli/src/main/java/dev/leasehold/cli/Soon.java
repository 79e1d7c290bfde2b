package dev.leasehold.cli;

import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Does something on a thread of its own, and waits for it only so long: some drivers wait for ever. */
final class Soon {
    /** A store that says no is believed. One that took longer than this to fail is only slow, and is asked again. */
    private static final Duration SLOW = Duration.ofSeconds(2);

    private Soon() {}

    /** Begins at once, and goes on until the result is there or somebody has cancelled it. */
    static <T> CompletableFuture<T> start(Supplier<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> run(task, result), "leasehold-open");
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private static <T> void run(Supplier<T> task, CompletableFuture<T> result) {
        while (!result.isDone()) {
            long start = System.nanoTime();
            try {
                result.complete(task.get());
            } catch (StoreUnavailableException e) {
                if (System.nanoTime() - start < SLOW.toNanos()) {
                    result.completeExceptionally(e);
                }
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        }
    }

    /** @throws StoreUnavailableException if it takes too long */
    static <T> T get(Supplier<T> task, Duration longest) throws InterruptedException {
        try {
            return new Patience().await(start(task), longest);
        } catch (TimeoutException e) {
            throw tooLate(longest, e);
        } catch (ExecutionException e) {
            throw unchecked(e.getCause());
        } catch (Patience.StoppedException e) {
            throw new IllegalStateException(e); // Nobody told it of a signal.
        }
    }

    static StoreUnavailableException tooLate(Duration time, TimeoutException e) {
        return new StoreUnavailableException(Messages.text("store.timeout", Durations.text(time)), e);
    }

    /** What a task threw, which was no checked exception. */
    static RuntimeException unchecked(@Nullable Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException e ? e : new IllegalStateException(cause);
    }
}
