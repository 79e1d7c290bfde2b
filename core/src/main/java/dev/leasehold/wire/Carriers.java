package dev.leasehold.wire;

import dev.leasehold.store.Threads;
import dev.leasehold.store.Uninterrupted;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Does the input and output of virtual threads on threads of the platform's kind. An interrupt of a virtual thread that
 * reads or writes closes the socket, and with it the requests of other callers that share the connection; a thread of
 * the platform's kind reads on. As many threads are needed as there are connections in use by virtual threads.
 */
final class Carriers {
    private static final @Nullable MethodHandle IS_VIRTUAL = findIsVirtual();

    private static final ThreadPoolExecutor THREADS = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            15,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> Threads.daemon("leasehold-carrier", task));

    private Carriers() {}

    /** Found by name, because this is built for a JDK that has no virtual threads. */
    private static @Nullable MethodHandle findIsVirtual() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }

    static boolean isVirtual(Thread thread) {
        if (IS_VIRTUAL == null) {
            return false;
        }
        try {
            return (boolean) IS_VIRTUAL.invokeExact(thread);
        } catch (Throwable e) {
            throw new IllegalStateException("Thread.isVirtual() failed.", e);
        }
    }

    /** Does the work, on this thread if it is of the platform's kind, and otherwise on another while this one waits. */
    static <L, T, E extends Exception> T run(Lanes.Work<L, T, E> work, L lane) throws E {
        if (!isVirtual(Thread.currentThread())) {
            return work.run(lane);
        }
        FutureTask<T> task = new FutureTask<>(() -> work.run(lane));
        try {
            THREADS.execute(task);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            task.run(); // Without another thread, this one will have to do.
        }
        return Uninterrupted.<T, E>resultOf(task); // As for a lane: calls are short.
    }
}
