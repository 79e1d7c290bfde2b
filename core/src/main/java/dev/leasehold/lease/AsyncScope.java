package dev.leasehold.lease;

import dev.leasehold.store.Subscription;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Asynchronous work under a lease, which is given back when the work's stage is completed. */
final class AsyncScope {
    private AsyncScope() {}

    /**
     * Does the work once the lease is acquired, on a thread of this executor. Cancelling the returned future cancels the
     * acquiring.
     */
    static <T extends @Nullable Object> CompletableFuture<T> run(
            CompletableFuture<Acquisition> acquiring,
            Executor executor,
            Function<Lease, ? extends CompletionStage<T>> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        var unusedCancelling = result.whenComplete((value, failure) -> acquiring.cancel(false));
        var unusedWork = acquiring
                .thenComposeAsync(acquisition -> scoped(acquisition.orElseThrow(), unlessDone(result, work)), executor)
                .whenComplete((value, failure) -> complete(result, value, unwrapped(failure)));
        return result;
    }

    /** Work that is not begun if its result is not wanted any more. */
    private static <T extends @Nullable Object> Function<Lease, CompletionStage<T>> unlessDone(
            CompletableFuture<T> result, Function<Lease, ? extends CompletionStage<T>> work) {
        return lease -> result.isDone() ? result : work.apply(lease);
    }

    private static <T extends @Nullable Object> CompletableFuture<T> scoped(
            Lease lease, Function<Lease, ? extends CompletionStage<T>> work) {
        lease.isScoped = true;
        CompletableFuture<T> done = new CompletableFuture<>();
        var unusedStage = started(lease, work).whenComplete((value, thrown) -> {
            Throwable failure = unwrapped(thrown);
            var unusedRelease = lease.closeAsync().whenComplete((loss, none) -> {
                if (loss != null && failure != null) {
                    failure.addSuppressed(loss);
                }
                complete(done, value, failure == null ? loss : failure);
            });
        });
        return done;
    }

    private static <T extends @Nullable Object> void complete(
            CompletableFuture<T> future, T value, @Nullable Throwable failure) {
        if (failure == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(failure);
        }
    }

    /** The failure of the work's stage: a stage that depends on another one wraps the failure of that one. */
    private static @Nullable Throwable unwrapped(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }

    private static <T extends @Nullable Object> CompletionStage<T> started(
            Lease lease, Function<Lease, ? extends CompletionStage<T>> work) {
        try {
            Subscription use = lease.startUse();
            CompletionStage<T> stage;
            try {
                stage = Objects.requireNonNull(work.apply(lease), "The work returned no stage.");
            } catch (Throwable e) {
                use.close();
                throw e;
            }
            return stage.whenComplete((value, failure) -> use.close());
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
