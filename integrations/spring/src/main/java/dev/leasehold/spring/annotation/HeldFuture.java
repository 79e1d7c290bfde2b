package dev.leasehold.spring.annotation;

import dev.leasehold.lease.Lease;
import dev.leasehold.store.Subscription;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Work that goes on after its method has returned, and keeps the lease until then. */
final class HeldFuture {
    private HeldFuture() {}

    /**
     * Begins the work on the caller's thread. The lease is released when the stage completes, on a thread of the common pool,
     * and after that the returned future completes in the same way; or with the loss of the lease if nothing has told of that.
     */
    static @Nullable CompletableFuture<Object> of(Lease lease, Callable<@Nullable CompletionStage<?>> work)
            throws Exception {
        Subscription use = lease.startUse();
        CompletionStage<?> stage;
        try {
            stage = work.call();
        } catch (Throwable e) {
            Throwable loss = ended(lease, use);
            if (loss != null) {
                e.addSuppressed(loss);
            }
            throw e;
        }
        CompletableFuture<Object> result = new CompletableFuture<>();
        if (stage == null) {
            result.completeExceptionally(new NullPointerException("The method returned null in place of a future."));
            Throwable loss = ended(lease, use);
            return loss == null ? result : CompletableFuture.failedFuture(loss);
        }
        var unused = stage.whenCompleteAsync((value, thrown) -> complete(result, value, thrown, ended(lease, use)));
        return result;
    }

    private static @Nullable Throwable ended(Lease lease, Subscription use) {
        use.close();
        try {
            lease.close();
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    private static void complete(
            CompletableFuture<Object> result,
            @Nullable Object value,
            @Nullable Throwable thrown,
            @Nullable Throwable loss) {
        if (thrown == null) {
            if (loss == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(loss);
            }
            return;
        }
        Throwable cause = thrown.getCause();
        Throwable failure = thrown instanceof CompletionException && cause != null ? cause : thrown;
        if (loss != null) {
            failure.addSuppressed(loss);
        }
        result.completeExceptionally(failure);
    }
}
