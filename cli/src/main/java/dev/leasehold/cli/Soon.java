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
    /** A store that has not answered for this long is not there. */
    static final Duration LIMIT = Duration.ofSeconds(15);

    private Soon() {}

    /** Begins at once. */
    static <T> CompletableFuture<T> start(Supplier<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> run(task, result), "leasehold-open");
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    /** Asks again if a store seems not to answer, but it was this process that was held up. */
    private static <T> void run(Supplier<T> task, CompletableFuture<T> result) {
        OwnPace pace = new OwnPace();
        while (!result.isDone()) {
            try {
                result.complete(task.get());
            } catch (StoreUnavailableException e) {
                if (!pace.isHeldUp()) {
                    result.completeExceptionally(e);
                }
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        }
    }

    /** @throws StoreUnavailableException if it takes too long */
    static <T> T get(Supplier<T> task) throws InterruptedException {
        try {
            return new Patience().await(start(task), LIMIT);
        } catch (TimeoutException e) {
            throw tooLate(LIMIT, e);
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
