package dev.leasehold.lease;

import java.time.Duration;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Hands work of one client to other threads: requests to the store, and callbacks, that is all code of the user's.
 * Listeners, continuations of futures and callbacks for lost leases run here and nowhere else, so that they can block,
 * throw or call the client without holding up the caller, the keeper, a connection or a lock.
 *
 * <p>An errand that finds no thread, because the process or the clockwork has no more of them, is kept. The keeper tries
 * again soon, and a thread that finishes its own errand runs all that are kept of the same kind. So a callback does not
 * run on a request thread: it may block, and renewals need that thread. Only in a process that has no thread at all for
 * callbacks does a request thread run them, one such thread of a client at a time. After the client is closed the keeper
 * is gone, and an errand that finds no thread runs on the thread that sends it.
 */
final class Errands implements Executor {
    private final Clockwork clockwork;
    private final Runnable ringSoon;
    private final Deque<Errand> keptRequests = new ConcurrentLinkedDeque<>();
    private final Deque<Errand> keptCallbacks = new ConcurrentLinkedDeque<>();
    private final AtomicInteger callbacks = new AtomicInteger();
    private final Set<Thread> inCallback = ConcurrentHashMap.newKeySet();
    private volatile boolean isKeeperGone;

    /** @param ringSoon makes the keeper call {@link #handOn} before long */
    Errands(Clockwork clockwork, Runnable ringSoon) {
        this.clockwork = clockwork;
        this.ringSoon = ringSoon;
    }

    /** Something for another thread. */
    private abstract static class Errand {
        /** The queue of this kind of errands. */
        private final Deque<Errand> kept;

        Errand(Deque<Errand> kept) {
            this.kept = kept;
        }

        /** Finds a thread for it. */
        abstract void dispatch();

        /** Does it on this thread. */
        abstract void run();

        /** Whether it has begun: what is thrown from then on does not mean that there is no thread. */
        boolean hasBegun() {
            return false;
        }
    }

    /** Code of the user's. */
    private final class Callback extends Errand {
        private final Runnable task;

        Callback(Runnable task) {
            super(keptCallbacks);
            this.task = task;
        }

        @Override
        void dispatch() {
            clockwork.dispatch(() -> {
                run();
                takeAlong(keptCallbacks, keptRequests);
            });
        }

        @Override
        void run() {
            boolean isOutermost = inCallback.add(Thread.currentThread());
            try {
                task.run();
            } catch (Throwable e) {
                Log.warn("A callback of the application threw. The lease client goes on.", e);
            } finally {
                if (isOutermost) {
                    inCallback.remove(Thread.currentThread());
                }
                callbacks.decrementAndGet();
            }
        }
    }

    /** A request to the store. */
    private final class Request<T> extends Errand {
        private final Supplier<T> verb;
        private final Clockwork.Reply<T> reply;
        private volatile boolean hasBegun;

        Request(Supplier<T> verb, Clockwork.Reply<T> reply) {
            super(keptRequests);
            this.verb = verb;
            this.reply = reply;
        }

        private T begin() {
            hasBegun = true;
            return verb.get();
        }

        @Override
        boolean hasBegun() {
            return hasBegun;
        }

        @Override
        void dispatch() {
            clockwork.call(this::begin, new Clockwork.Reply<T>() {
                @Override
                public void answered(T result) {
                    try {
                        reply.answered(result);
                    } finally {
                        takeAlong(keptRequests, keptCallbacks);
                    }
                }

                @Override
                public void failed(Throwable cause) {
                    try {
                        reply.failed(cause);
                    } finally {
                        takeAlong(keptRequests, keptCallbacks);
                    }
                }
            });
        }

        @Override
        void run() {
            T result;
            try {
                result = begin();
            } catch (Throwable cause) {
                reply.failed(cause);
                return;
            }
            reply.answered(result);
        }
    }

    /** Runs code of the user's, soon. Never throws. */
    @Override
    public void execute(Runnable callback) {
        callbacks.incrementAndGet();
        send(new Callback(callback));
    }

    /** Asks the store something, soon. Throws nothing for want of a thread. */
    <T> void call(Supplier<T> verb, Clockwork.Reply<T> reply) {
        send(new Request<>(verb, reply));
    }

    private void send(Errand errand) {
        try {
            errand.dispatch();
        } catch (Throwable e) {
            if (errand.hasBegun()) {
                throw e;
            }
            if (isKeeperGone) {
                errand.run(); // The client is closed, and no keeper would try again.
            } else {
                errand.kept.add(errand);
                ringSoon.run();
            }
        }
    }

    /** Tries again to find threads, and throws what the clockwork throws if there are none. */
    void handOn() {
        try {
            handOn(keptRequests);
        } finally {
            handOn(keptCallbacks);
        }
    }

    private void handOn(Deque<Errand> kept) {
        for (Errand errand = kept.poll(); errand != null; errand = kept.poll()) {
            try {
                errand.dispatch();
            } catch (Throwable e) {
                if (!errand.hasBegun()) {
                    keepFirst(errand);
                }
                throw e;
            }
        }
    }

    private void keepFirst(Errand errand) {
        errand.kept.addFirst(errand);
        ringSoon.run();
    }

    /** Called by a thread that has finished its own errand: it runs all of that kind that found no thread. */
    private void takeAlong(Deque<Errand> same, Deque<Errand> other) {
        for (Errand errand = same.poll(); errand != null; errand = same.poll()) {
            errand.run();
        }
        for (Errand errand = other.poll(); errand != null; errand = other.poll()) {
            if (!tryHandOn(errand)) {
                keepFirst(errand);
                return;
            }
        }
    }

    /** Finds a thread for an errand of the other kind; does it on this one if there is none that could do it later. */
    private boolean tryHandOn(Errand errand) {
        try {
            errand.dispatch();
        } catch (RejectedExecutionException allBusy) {
            return errand.hasBegun();
        } catch (Throwable noThreads) {
            if (errand.hasBegun()) {
                throw noThreads;
            }
            if (errand.kept == keptCallbacks && !inCallback.isEmpty()) {
                return false;
            }
            errand.run();
        }
        return true;
    }

    /**
     * Lets the keeper end, unless errands are kept for which it has to find threads.
     *
     * @return whether the keeper may end
     */
    boolean retireKeeper() {
        isKeeperGone = keptRequests.isEmpty() && keptCallbacks.isEmpty();
        return isKeeperGone;
    }

    /** Waits until all callbacks have returned, but not for longer than this, nor for the one that calls. */
    void awaitCallbacks(Duration longest) {
        if (inCallback.contains(Thread.currentThread())) {
            return;
        }
        for (long millis = longest.toMillis(); callbacks.get() > 0 && millis > 0; millis--) {
            Parking.pause(Duration.ofMillis(1));
        }
    }
}
