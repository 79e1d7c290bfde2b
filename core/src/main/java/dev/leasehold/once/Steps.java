package dev.leasehold.once;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a run talks to its lease: on the caller's thread, whose futures are complete when they are returned, or without
 * holding anybody up. What is decided in between is the same.
 */
enum Steps {
    BLOCKING {
        @Override
        CompletableFuture<Settled> settle(Lease lease, Settlement settlement) {
            return Settled.of(now(() -> lease.settle(settlement)));
        }

        @Override
        CompletableFuture<ReleaseOutcome> releaseForRetry(Lease lease) {
            return now(lease::releaseForRetry);
        }

        @Override
        CompletableFuture<ReleaseOutcome> release(Lease lease) {
            return now(lease::release);
        }
    },
    ASYNC {
        @Override
        CompletableFuture<Settled> settle(Lease lease, Settlement settlement) {
            return Settled.of(lease.settleAsync(settlement));
        }

        @Override
        CompletableFuture<ReleaseOutcome> releaseForRetry(Lease lease) {
            return lease.releaseForRetryAsync();
        }

        @Override
        CompletableFuture<ReleaseOutcome> release(Lease lease) {
            return lease.releaseAsync();
        }
    };

    /** Never fails: trouble is part of the answer. */
    abstract CompletableFuture<Settled> settle(Lease lease, Settlement settlement);

    abstract CompletableFuture<ReleaseOutcome> releaseForRetry(Lease lease);

    abstract CompletableFuture<ReleaseOutcome> release(Lease lease);

    /**
     * Goes a way that ends an attempt. Whatever is thrown on it, the lease is not renewed for ever: it is left to its TTL.
     *
     * @param told what to tell the caller if something was thrown
     */
    static <T> CompletableFuture<T> surely(
            Lease lease, Supplier<CompletableFuture<T>> way, Function<Throwable, T> told) {
        CompletableFuture<T> end;
        try {
            end = way.get();
        } catch (Throwable trouble) {
            return CompletableFuture.completedFuture(told.apply(left(lease, trouble)));
        }
        return end.exceptionally(trouble -> told.apply(left(lease, ErrorText.unwrapped(trouble))));
    }

    private static Throwable left(Lease lease, Throwable trouble) {
        try {
            lease.abandon("its run could not be ended");
        } catch (RuntimeException | Error e) {
            ErrorText.suppress(trouble, e);
        }
        return trouble;
    }

    private static <T> CompletableFuture<T> now(Supplier<T> step) {
        try {
            return CompletableFuture.completedFuture(step.get());
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * What became of a settlement.
     *
     * @param result the store's answer, if there is one
     * @param trouble why the store's answer is not known
     */
    record Settled(@Nullable SettleResult result, @Nullable Throwable trouble) {
        private static CompletableFuture<Settled> of(CompletableFuture<SettleResult> result) {
            return result.handle(Settled::new);
        }

        boolean isRecorded() {
            return result != null && result.isSettled();
        }

        /** Adds what went wrong to an error that is more important. */
        void noteOn(Throwable error) {
            ErrorText.suppress(error, trouble);
        }
    }
}
