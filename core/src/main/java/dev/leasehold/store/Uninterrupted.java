package dev.leasehold.store;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Waits that an interrupt does not end. The thread's interrupt flag is set again afterwards, so that the caller's work
 * still sees it.
 */
public final class Uninterrupted {
    /** Threads whose flag is cleared for a while and set again soon. */
    private static final Set<Thread> KEPT = ConcurrentHashMap.newKeySet();

    private Uninterrupted() {}

    /**
     * Clears the flag of this thread until {@link #giveBack}.
     *
     * @return whether it was set; if so, the caller must give it back
     */
    public static boolean take() {
        if (!Thread.currentThread().isInterrupted()) {
            return false; // Nearly always so, and no other thread can clear the flag: no need for the lock.
        }
        synchronized (KEPT) {
            return Thread.interrupted() && keep();
        }
    }

    /**
     * Counts this thread as interrupted until {@link #giveBack}, after an {@link InterruptedException} has cleared its flag.
     *
     * @return true: the caller must give the flag back
     */
    public static boolean keep() {
        KEPT.add(Thread.currentThread());
        return true;
    }

    /** Sets the flag of this thread again. */
    public static void giveBack() {
        synchronized (KEPT) {
            Thread.currentThread().interrupt();
            KEPT.remove(Thread.currentThread());
        }
    }

    /**
     * Interrupts a thread, unless it is interrupted already or will be again as soon as its flag is given back.
     *
     * @return whether this call interrupted it
     */
    public static boolean interrupt(Thread thread) {
        synchronized (KEPT) {
            if (thread.isInterrupted() || KEPT.contains(thread)) {
                return false;
            }
            thread.interrupt();
            return true;
        }
    }

    /** A wait that may be begun again after an interrupt. */
    public interface Wait<T extends @Nullable Object, E extends Exception> {
        T await() throws InterruptedException, E;
    }

    /** Waits, and begins again after each interrupt. */
    public static <T extends @Nullable Object, E extends Exception> T await(Wait<T, E> wait) throws E {
        boolean wasInterrupted = take();
        try {
            while (true) {
                try {
                    return wait.await();
                } catch (InterruptedException e) {
                    wasInterrupted = keep();
                }
            }
        } finally {
            if (wasInterrupted) {
                giveBack();
            }
        }
    }

    /**
     * Waits for a task whose work throws no checked exception but {@code E}.
     *
     * @throws E what the work threw
     */
    public static <T, E extends Exception> T resultOf(Future<T> task) throws E {
        try {
            return await(task::get);
        } catch (ExecutionException e) {
            throw Uninterrupted.<E>thrown(e.getCause());
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // The work throws nothing else that is checked.
    private static <E extends Exception> E thrown(@Nullable Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        if (cause instanceof RuntimeException exception) {
            throw exception;
        }
        return (E) Objects.requireNonNull(cause);
    }
}
