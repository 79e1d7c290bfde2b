package dev.leasehold.firestore;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.Uninterrupted;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** One call of a verb: its requests, how long each may take, and what is asked again until the call's time is over. */
final class Call {
    /** The longest pause after the first conflict; it grows with each. */
    private static final long CONFLICT_PAUSE_NANOS = 10_000_000;

    private static final long LONGEST_PAUSE_NANOS = 200_000_000;
    private static final long BUSY_PAUSE_NANOS = 500_000_000;

    /** A request that is not answered within this part of the call's time is given up and asked again. */
    private static final int ATTEMPTS = 4;

    private final Database database;
    private final Duration limit;
    private final long end;
    private final long attemptNanos;
    private int conflicts;

    Call(Database database, Duration limit) {
        this.database = database;
        this.limit = limit;
        this.end = System.nanoTime() + limit.toNanos();
        this.attemptNanos = limit.toNanos() / ATTEMPTS;
    }

    long nanosLeft() {
        return end - System.nanoTime();
    }

    /** Reads a document as it is now. */
    DocumentSnapshot read(DocumentReference document) {
        return read(document::get);
    }

    /** Sends a request that changes nothing, again and again if need be. */
    <T> T read(Supplier<ApiFuture<T>> request) {
        while (true) {
            try {
                return ask(request, false);
            } catch (Trouble trouble) {
                pause(trouble);
            }
        }
    }

    /** Sends a request with preconditions, once. */
    <T> T commit(Supplier<ApiFuture<T>> request) throws Trouble {
        return ask(request, true);
    }

    /**
     * Sends a transaction, once.
     *
     * @param giveUp ends the transaction if it is not answered in time; false if it is too late for that
     */
    <T> T commit(Supplier<ApiFuture<T>> request, BooleanSupplier giveUp) throws Trouble {
        long attemptEnd = attemptEnd();
        return await(send(request), attemptEnd, true, giveUp);
    }

    private <T> T ask(Supplier<ApiFuture<T>> request, boolean isCommit) throws Trouble {
        long attemptEnd = attemptEnd();
        return await(send(request), attemptEnd, isCommit);
    }

    /** Until when a request that is sent now is waited for. */
    long attemptEnd() {
        return System.nanoTime() + Math.max(1, Math.min(attemptNanos, nanosLeft()));
    }

    /** Whether there is time for one more request at most. */
    boolean isNearlyOver() {
        return nanosLeft() < attemptNanos;
    }

    /**
     * Waits for the answer to a request; one that does not come in time is given up.
     *
     * @throws Trouble if the request did not succeed, or nobody knows
     */
    <T> T await(ApiFuture<T> future, long attemptEnd, boolean isCommit) throws Trouble {
        return await(future, attemptEnd, isCommit, () -> false);
    }

    private <T> T await(ApiFuture<T> future, long attemptEnd, boolean isCommit, BooleanSupplier giveUp) throws Trouble {
        return Uninterrupted.await(() -> {
            try {
                return future.get(attemptEnd - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                if (cause instanceof InterruptedException) {
                    // Google's client met the interrupt of this thread when it sent the request, and took it.
                    Thread.currentThread().interrupt();
                }
                throw Trouble.of(cause, isCommit);
            } catch (TimeoutException e) {
                if (!giveUp.getAsBoolean()) {
                    future.cancel(true);
                }
                throw Trouble.silence();
            }
        });
    }

    /** Sends a request. */
    <T> ApiFuture<T> send(Supplier<ApiFuture<T>> request) {
        try {
            return request.get();
        } catch (IllegalStateException e) {
            throw new StoreException("The Firestore client of " + database.name() + " is closed: " + e.getMessage(), e);
        }
    }

    /**
     * Waits before the next try.
     *
     * @throws StoreUnavailableException if the call's time is over
     * @throws StoreException if another try will not help
     */
    void pause(Trouble trouble) {
        long most = switch (trouble.kind()) {
            case FATAL, REFUSED -> throw database.explained(trouble);
            case BUSY -> BUSY_PAUSE_NANOS;
            case CONFLICT, UNKNOWN -> Math.min(LONGEST_PAUSE_NANOS, CONFLICT_PAUSE_NANOS << Math.min(conflicts, 5));
        };
        conflicts++;
        long pause = most / 2 + ThreadLocalRandom.current().nextLong(most / 2);
        if (nanosLeft() <= pause) {
            throw unavailable(trouble);
        }
        Uninterrupted.await(() -> {
            TimeUnit.NANOSECONDS.sleep(pause);
            return pause;
        });
    }

    StoreUnavailableException unavailable(Trouble trouble) {
        return new StoreUnavailableException(
                "Firestore (" + database.name() + ") did not carry out a request within " + limit.toMillis() + " ms: "
                        + trouble.getMessage(),
                trouble);
    }
}
