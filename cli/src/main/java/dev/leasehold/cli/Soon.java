package dev.leasehold.cli;

import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Does something on a thread of its own, and waits for it only so long: some drivers wait for ever. */
final class Soon {
    private static final Duration LIMIT = Duration.ofSeconds(15);

    private Soon() {}

    /** @throws StoreUnavailableException if it takes too long */
    static <T> T get(Supplier<T> task) throws InterruptedException {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(task.get());
                    } catch (RuntimeException | Error e) {
                        result.completeExceptionally(e);
                    }
                },
                "leasehold-open");
        thread.setDaemon(true);
        thread.start();
        try {
            return result.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new StoreUnavailableException(Messages.text("store.timeout", Durations.text(LIMIT)), e);
        } catch (ExecutionException e) {
            @Nullable Throwable cause = e.getCause();
            if (cause instanceof Error error) {
                throw error;
            }
            throw cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
        }
    }
}
