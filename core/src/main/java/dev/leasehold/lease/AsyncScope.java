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
        // A future of our own: those derived from others ask errors for their text, and never end if that throws.
        CompletableFuture<T> result = new CompletableFuture<>();
        var unusedCancelling = result.handle((value, failure) -> acquiring.cancel(false));
        var unusedWork = acquiring.handle((acquisition, failure) -> {
            if (acquisition == null) {
                complete(result, null, failure);
            } else {
                executor.execute(() -> start(acquisition, unlessDone(result, work), result));
            }
            return failure == null;
        });
        return result;
    }

    private static <T extends @Nullable Object> void start(
            Acquisition acquisition, Function<Lease, ? extends CompletionStage<T>> work, CompletableFuture<T> result) {
        try {
            scoped(acquisition.orElseThrow(), work, result);
        } catch (Throwable e) {
            complete(result, null, e);
        }
    }

    /** Work that is not begun if its result is not wanted any more. */
    private static <T extends @Nullable Object> Function<Lease, CompletionStage<T>> unlessDone(
            CompletableFuture<T> result, Function<Lease, ? extends CompletionStage<T>> work) {
        return lease -> result.isDone() ? result : work.apply(lease);
    }

    private static <T extends @Nullable Object> void scoped(
            Lease lease, Function<Lease, ? extends CompletionStage<T>> work, CompletableFuture<T> result) {
        lease.isScoped = true;
        var unusedEnd = started(lease, work)
                .thenCompose(end -> lease.closeAsync().handle((loss, none) -> {
                    Throwable failure = end.failure();
                    if (loss != null && failure != null) {
                        failure.addSuppressed(loss);
                    }
                    complete(result, end.value(), failure == null ? loss : failure);
                    return end;
                }));
    }

    /** How the work ended. */
    private record End<T extends @Nullable Object>(
            @Nullable T value, @Nullable Throwable failure) {}

    private static <T extends @Nullable Object> void complete(
            CompletableFuture<T> future, @Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(failure);
        }
    }

    /** The failure of the work's stage: a stage that depends on another one wraps the failure of that one. */
    private static @Nullable Throwable unwrapped(@Nullable Throwable failure) {
        try {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
            return cause == null ? failure : cause;
        } catch (Throwable e) {
            return failure;
        }
    }

    /** Starts the work. The future never fails: its result tells the failure of the work. */
    private static <T extends @Nullable Object> CompletableFuture<End<T>> started(
            Lease lease, Function<Lease, ? extends CompletionStage<T>> work) {
        CompletableFuture<End<T>> over = new CompletableFuture<>();
        Subscription use;
        try {
            use = lease.startUse();
        } catch (Throwable e) {
            return CompletableFuture.completedFuture(new End<>(null, e));
        }
        // A stage that accepts no continuation has failed. Of several results of a stage, the first one counts.
        try {
            CompletionStage<T> stage = Objects.requireNonNull(work.apply(lease), "The work returned no stage.");
            Objects.requireNonNull(
                    stage.handle((value, failure) -> over.complete(new End<>(value, unwrapped(failure)))),
                    "The stage of the work accepts no continuation.");
        } catch (Throwable e) {
            over.complete(new End<>(null, unwrapped(e)));
        }
        return over.thenApply(end -> {
            use.close();
            return end;
        });
    }
}
