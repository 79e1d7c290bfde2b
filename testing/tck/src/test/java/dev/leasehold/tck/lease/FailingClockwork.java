package dev.leasehold.tck.lease;

import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.Moment;
import dev.leasehold.store.Subscription;
import dev.leasehold.tck.ManualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** Manual time in a process that runs out of threads, loses its keeper, dawdles with its requests, or exits. */
final class FailingClockwork implements Clockwork {
    private final ManualTime time;
    private final List<Runnable> exits = new ArrayList<>();
    private final List<Throwable> keeperFailures = new ArrayList<>();
    private final Deque<Runnable> dawdling = new ArrayDeque<>();
    private final Deque<Runnable> callbacks = new ArrayDeque<>();
    private boolean isDawdling;
    private boolean areCallbacksHeld;
    private volatile boolean areCallbacksRefused;
    private volatile int refusals;
    private boolean hasThreads = true;
    private boolean isKeeperAlive = true;
    private int dispatches;

    FailingClockwork(ManualTime time) {
        this.time = time;
    }

    void runOutOfThreads() {
        hasThreads = false;
    }

    void haveThreadsAgain() {
        hasThreads = true;
    }

    void killKeeper() {
        isKeeperAlive = false;
    }

    /** Requests do not leave the process from now on. */
    void dawdle() {
        isDawdling = true;
    }

    /** New requests leave at once again. Those that are held back leave with {@link #hurry}. */
    void flow() {
        isDawdling = false;
    }

    /** They leave now, the last one first: threads overtake each other. */
    void hurry() {
        isDawdling = false;
        while (!dawdling.isEmpty()) {
            dawdling.pop().run();
        }
    }

    /** Callbacks wait from now on. */
    void holdCallbacks() {
        areCallbacksHeld = true;
    }

    /** The callbacks that waited run now, and others at once again. */
    void runCallbacks() {
        areCallbacksHeld = false;
        while (!callbacks.isEmpty()) {
            callbacks.remove().run();
        }
    }

    /** All threads for callbacks are busy from now on. */
    void refuseCallbacks() {
        areCallbacksRefused = true;
    }

    void acceptCallbacks() {
        areCallbacksRefused = false;
    }

    /** How many callbacks were refused. */
    int refusals() {
        return refusals;
    }

    /** Does what is to be done at the exit of the process. */
    void exit() {
        List.copyOf(exits).forEach(Runnable::run);
    }

    /** How many tasks were handed to other threads. */
    int dispatches() {
        return dispatches;
    }

    /** What the keeper's tasks threw. */
    List<Throwable> keeperFailures() {
        return keeperFailures;
    }

    @Override
    public Moment now() {
        return time.now();
    }

    /** As in a real process, the keeper outlives what its task throws. */
    @Override
    public Alarm newAlarm(Runnable task) {
        return time.newAlarm(() -> {
            if (isKeeperAlive) {
                try {
                    task.run();
                } catch (Throwable failure) {
                    keeperFailures.add(failure);
                }
            }
        });
    }

    @Override
    public void dispatch(Runnable task) {
        needThread();
        if (areCallbacksRefused) {
            refuse();
        }
        dispatches++;
        if (areCallbacksHeld) {
            callbacks.add(task);
        } else {
            time.dispatch(task);
        }
    }

    @Override
    public <T> void call(Supplier<T> verb, Reply<T> reply) {
        needThread();
        if (isDawdling) {
            dawdling.push(() -> time.call(verb, reply));
        } else {
            time.call(verb, reply);
        }
    }

    private synchronized void refuse() {
        refusals++;
        throw new RejectedExecutionException("all threads are busy, as the test wants");
    }

    private void needThread() {
        if (!hasThreads) {
            throw new OutOfMemoryError("unable to create native thread, as the test wants");
        }
    }

    @Override
    public Subscription atExit(Runnable task) {
        exits.add(task);
        return () -> exits.remove(task);
    }
}
