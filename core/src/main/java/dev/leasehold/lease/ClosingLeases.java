package dev.leasehold.lease;

import dev.leasehold.store.Micros;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The end of a client: what becomes of the leases it still has. */
final class ClosingLeases {
    private static final Duration RELEASE_BUDGET = Duration.ofSeconds(2);

    private ClosingLeases() {}

    static void close(Leases leases, Duration grace) {
        awaitWork(leases, grace);
        for (Lease lease : leases.kept()) {
            if (lease.isInUse()) {
                leases.step((engine, now) -> engine.renewals.abandon(lease, "the client was closed", now), null);
            } else {
                leases.step((engine, now) -> engine.endings.giveUp(lease, now), null);
            }
        }
        awaitStore(leases);
    }

    /** Waits until leases and places in line are given back: whoever closes may end the process next. */
    private static void awaitStore(Leases leases) {
        CompletableFuture<Void> nothingLeft = new CompletableFuture<>();
        leases.step((engine, now) -> engine.whenNothingIsLeft(nothingLeft), null);
        try {
            nothingLeft.get(RELEASE_BUDGET.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            Log.LOGGER.log(
                    System.Logger.Level.WARNING,
                    "Some leases or places in line could not be given back; they end with their time",
                    e);
        }
    }

    /** Waits until no work runs under any lease, for at most the grace. */
    private static void awaitWork(Leases leases, Duration grace) {
        CountDownLatch idle = new CountDownLatch(1);
        long end = leases.now().nanos() + (Micros.isForever(grace) ? Micros.FOREVER : grace).toNanos();
        while (leases.kept().stream().anyMatch(Lease::isInUse) && leases.now().nanos() < end) {
            try {
                // Nobody counts down: this is a pause that an interrupt ends.
                if (idle.await(10, TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
