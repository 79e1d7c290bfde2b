package dev.leasehold.analysis;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The tasks that run now. When the process is told to end, it takes no more, and those under way have a grace. What still runs
 * after that is interrupted, so that it clears its lock. Ends before the web server does: until then callers are answered.
 */
final class RunningTasks implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(RunningTasks.class);
    private static final Duration TO_CLEAR = Duration.ofSeconds(3);

    private final Duration grace;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition isOneOver = lock.newCondition();
    private final Set<Thread> threads = new HashSet<>();
    private boolean isRunning;
    private boolean isStopping;

    /**
     * Starts with no task.
     *
     * @param grace how long tasks may go on when the process is told to end
     */
    RunningTasks(Duration grace) {
        this.grace = grace;
    }

    /**
     * Does a task on this thread.
     *
     * @throws StoppingException if the process ends: before the task began, or because it was interrupted
     */
    <T> T run(Callable<T> task) throws Exception {
        begin();
        try {
            return task.call();
        } catch (InterruptedException e) {
            throw new StoppingException();
        } finally {
            end();
        }
    }

    private void begin() {
        lock.lock();
        try {
            if (isStopping) {
                throw new StoppingException();
            }
            threads.add(Thread.currentThread());
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        try {
            threads.remove(Thread.currentThread());
            isOneOver.signalAll();
        } finally {
            lock.unlock();
        }
        Thread.interrupted(); // Meant for the task: the web server's thread goes on.
    }

    boolean isStopping() {
        lock.lock();
        try {
            return isStopping;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void start() {
        isRunning = true;
    }

    @Override
    public void stop() {
        lock.lock();
        try {
            isStopping = true;
            isRunning = false;
            if (!areOverWithin(grace)) {
                LOG.warn(
                        threads.size() == 1
                                ? "Interrupting {} task that still runs after {} s; it clears its lock."
                                : "Interrupting {} tasks that still run after {} s; each clears its lock.",
                        threads.size(),
                        grace.toSeconds());
                threads.forEach(Thread::interrupt);
                if (!areOverWithin(TO_CLEAR)) {
                    LOG.warn(
                            threads.size() == 1
                                    ? "{} task ignored the interrupt; its lock expires within its TTL."
                                    : "{} tasks ignored the interrupt; their locks expire within their TTL.",
                            threads.size());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean areOverWithin(Duration time) {
        long left = time.toNanos();
        try {
            while (!threads.isEmpty() && left > 0) {
                left = isOneOver.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return threads.isEmpty();
    }

    @Override
    public boolean isRunning() {
        return isRunning;
    }

    /** The process ends, and this task is for another instance. */
    static final class StoppingException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StoppingException() {
            super("This instance is stopping. Send the task again; another instance will take it.");
        }
    }
}
