package dev.leasehold.lease;

import dev.leasehold.store.Subscription;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Time and threads, as {@link Leases} needs them. The real one is {@link SystemClockwork}; tests bring one that they
 * move by hand.
 */
public interface Clockwork {
    Moment now();

    /** An alarm that runs this task, each time on a thread that never waits for a store or a listener. */
    Alarm newAlarm(Runnable task);

    /**
     * Runs a task that may block, soon, on another thread that nobody interrupts. Throws if there is no thread for it,
     * a {@link RejectedExecutionException} if all that there may be are busy; the task is not run then.
     */
    void dispatch(Runnable task);

    /**
     * Asks a store something, on another thread, and passes on its answer or what it threw. No answer at all is
     * possible, and so is an answer that comes too late. Throws if there is no thread for it, a
     * {@link RejectedExecutionException} if all that there may be are busy; the store is not asked then.
     */
    <T> void call(Supplier<T> verb, Reply<T> reply);

    /** Runs the task when the process exits, in a hurry, unless the subscription was closed before. */
    Subscription atExit(Runnable task);

    /** Takes the answer to a call, once: a result, or what went wrong. */
    interface Reply<T> {
        void answered(T result);

        void failed(Throwable cause);
    }

    /** Runs its task once at the moment set last. */
    interface Alarm extends AutoCloseable {
        /** Sets the alarm, instead of what was set before; {@link Long#MAX_VALUE} for never. */
        void setFor(long nanos);

        @Override
        void close();
    }
}
