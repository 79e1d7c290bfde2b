package dev.leasehold.lease;

import dev.leasehold.store.Subscription;
import dev.leasehold.store.Threads;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The real clocks, one thread per alarm, and as many threads for blocking work as are busy at once: usually one.
 *
 * <p>All threads are daemons of the platform's kind: a heartbeat must not depend on the scheduler of virtual threads.
 */
public final class SystemClockwork implements Clockwork {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private static final SystemClockwork SHARED = new SystemClockwork();

    /** The one for all clients of this process. */
    public static SystemClockwork shared() {
        return SHARED;
    }

    /**
     * More than any sane number of calls at once, and less than most systems' limit of threads. Callers keep what is
     * refused and try again. Requests and callbacks have separate threads, so that callbacks that block, however many,
     * never hold up a renewal. Store calls return within the store's own limit, so a store that hangs holds up other
     * stores for no longer than that.
     */
    private static final int MOST_THREADS = 1_000;

    private final long originNanos = System.nanoTime();
    private final ThreadPoolExecutor requests = threads("request");
    private final ThreadPoolExecutor callbacks = threads("callback");

    private static ThreadPoolExecutor threads(String role) {
        return new ThreadPoolExecutor(
                0, MOST_THREADS, 15, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> thread(role, task));
    }

    @Override
    public Moment now() {
        return new Moment(System.nanoTime() - originNanos, System.currentTimeMillis() * 1_000);
    }

    @Override
    public Alarm newAlarm(Runnable task) {
        SystemAlarm alarm = new SystemAlarm(task);
        alarm.thread.start();
        return alarm;
    }

    @Override
    public void dispatch(Runnable task) {
        callbacks.execute(task);
    }

    @Override
    public <T> void call(Supplier<T> verb, Reply<T> reply) {
        requests.execute(() -> {
            T result;
            try {
                result = verb.get();
            } catch (Throwable cause) {
                reply.failed(cause);
                return;
            }
            reply.answered(result);
        });
    }

    @Override
    public Subscription atExit(Runnable task) {
        Thread hook = thread("exit", task);
        Runtime.getRuntime().addShutdownHook(hook);
        return () -> {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException exiting) {
                // Too late to take it back; it will find nothing to do.
                return;
            }
        };
    }

    private static Thread thread(String role, Runnable task) {
        return Threads.daemon("leasehold-" + role + "-" + NUMBERS.incrementAndGet(), task);
    }

    private final class SystemAlarm implements Alarm {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition isSet = lock.newCondition();
        private final Thread thread;
        private final Runnable task;
        private long at = Long.MAX_VALUE;
        /** When the thread will look again by itself: no need to wake it for anything later. */
        private long looksAt = Long.MAX_VALUE;

        private boolean isClosed;

        @SuppressWarnings(
                "ThreadPriorityCheck") // Where the platform heeds it, heartbeats go first; nothing relies on it.
        SystemAlarm(Runnable task) {
            this.task = task;
            this.thread = thread("keeper", this::ring);
            thread.setPriority(Thread.MAX_PRIORITY);
        }

        @Override
        public void setFor(long nanos) {
            lock.lock();
            try {
                at = nanos;
                if (nanos < looksAt) {
                    isSet.signal();
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                isClosed = true;
                isSet.signal();
            } finally {
                lock.unlock();
            }
        }

        private void ring() {
            while (awaitMoment()) {
                try {
                    task.run();
                } catch (Throwable anything) {
                    // The heartbeat of every lease hangs on this thread: it outlives whatever a task throws.
                    Log.LOGGER.log(System.Logger.Level.ERROR, "A keeper's task failed", anything);
                }
            }
        }

        /** Whether there is something to ring for; false once closed. */
        private boolean awaitMoment() {
            lock.lock();
            try {
                while (!isClosed) {
                    long left = at == Long.MAX_VALUE ? Long.MAX_VALUE : at - (System.nanoTime() - originNanos);
                    if (left <= 0) {
                        at = Long.MAX_VALUE;
                        return true;
                    }
                    looksAt = at;
                    isSet.awaitNanos(left);
                }
                return false;
            } catch (InterruptedException e) {
                // Nobody has a reason to interrupt this thread, and leases depend on it: it looks again and goes on.
                return true;
            } finally {
                lock.unlock();
            }
        }
    }
}
