package dev.leasehold.cli;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.StoreException;
import java.time.Duration;

/**
 * Asks a store for a lease that is to outlive this process. The client of the library would give it back at the end.
 *
 * <p>Closing it, or a signal before that, gives back what was got, and the place in line; unless {@link #keep} was
 * called.
 */
final class Taking implements AutoCloseable {
    private static final Duration OUTAGE = Duration.ofSeconds(10);
    private static final Duration PLACE = Duration.ofSeconds(5);

    /** Shorter than a lease lives that was handed over. */
    private static final Duration PAUSE = Duration.ofMillis(300);

    private final LeaseStore store;
    private final AcquireRequest request;
    private final Thread atExit = new Thread(this::giveUp, "leasehold-exit");
    private boolean isKept;

    Taking(LeaseStore store, AcquireRequest request) {
        this.store = store;
        this.request = request;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** @param patience how long to ask again while somebody else has it */
    AcquireResult ask(Duration patience) throws InterruptedException {
        long start = System.nanoTime();
        Stubborn stubborn = new Stubborn(OUTAGE);
        AcquireRequest asked = patience.isZero() ? request : request.inLineFor(PLACE);
        while (true) {
            AcquireResult answer = stubborn.ask(() -> store.acquire(asked));
            Duration left = patience.minusNanos(System.nanoTime() - start);
            if (isFinal(answer) || left.isZero() || left.isNegative()) {
                return answer;
            }
            Stubborn.pause(left.compareTo(PAUSE) < 0 ? left : PAUSE);
        }
    }

    private static boolean isFinal(AcquireResult answer) {
        return !(answer instanceof AcquireResult.Held || answer instanceof AcquireResult.Cooling);
    }

    /** The lease is somebody else's from now on. */
    synchronized void keep() {
        isKept = true;
    }

    private synchronized void giveUp() {
        if (!isKept) {
            isKept = true;
            try {
                store.release(ReleaseRequest.withdrawing(request.key(), request.nonce()));
            } catch (StoreException e) {
                // It ends with its TTL.
                return;
            }
        }
    }

    @Override
    public void close() {
        giveUp();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The exit is under way, and will find nothing to do.
            return;
        }
    }
}
