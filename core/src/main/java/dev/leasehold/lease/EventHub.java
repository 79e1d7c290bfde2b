package dev.leasehold.lease;

import dev.leasehold.store.Subscription;
import dev.leasehold.store.Uninterrupted;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tells events to any number of listeners, to each in order and one at a time. A listener that throws is told its next
 * event all the same. A listener that blocks keeps only its own events waiting. If {@link #CAPACITY} of them wait, the
 * hub drops the renewals and retries among them. If those were fewer than a quarter, it drops the oldest others too.
 */
final class EventHub {
    static final int CAPACITY = 50_000;

    /** Dropping makes this much room at least, so that a full mailbox is not searched for every event. */
    private static final int KEPT = CAPACITY * 3 / 4;

    /** The longest wait of a thread for another one that tells a listener an earlier event. */
    private static final Duration LONGEST_TURN = Duration.ofSeconds(1);

    private final List<Mailbox> mailboxes = new CopyOnWriteArrayList<>();

    /** One listener's events, in order. All but telling is guarded by this. */
    private static final class Mailbox {
        private final Consumer<LeaseEvent> listener;
        private final Predicate<LeaseEvent> isWanted;
        private final Deque<LeaseEvent> events = new ArrayDeque<>();
        private boolean isBusy;
        private long dropped;
        private volatile boolean isClosed;
        /** Whose turn it is to tell the listener, where events are told before calls return. */
        private final ReentrantLock turn = new ReentrantLock();

        Mailbox(Consumer<LeaseEvent> listener, Predicate<LeaseEvent> isWanted) {
            this.listener = listener;
            this.isWanted = isWanted;
        }

        void post(List<LeaseEvent> posted) {
            for (LeaseEvent event : posted) {
                if (isWanted.test(event)) {
                    add(event);
                }
            }
        }

        private synchronized void add(LeaseEvent event) {
            if (events.size() >= CAPACITY) {
                int before = events.size();
                events.removeIf(old -> old instanceof LeaseEvent.Renewed || old instanceof LeaseEvent.Retry);
                while (events.size() > KEPT) {
                    events.remove();
                }
                dropped += before - events.size();
            }
            events.add(event);
        }

        /**
         * Claims the mailbox for the caller, if events wait in it and no thread drains it.
         *
         * @return whether the caller must have it drained
         */
        synchronized boolean startDraining() {
            boolean isIdle = !isBusy && !events.isEmpty();
            isBusy |= isIdle;
            return isIdle;
        }

        void drain() {
            for (LeaseEvent event = next(); event != null; event = next()) {
                tell(event);
            }
        }

        /**
         * Tells all that waits, on this thread. If another thread is telling the listener something, this one waits for
         * it, but not for ever: the listener may be waiting for this very thread. The other thread tells the rest then.
         */
        void drainHere() {
            boolean wasInterrupted = Uninterrupted.take();
            try {
                if (turn.tryLock(LONGEST_TURN.toNanos(), TimeUnit.NANOSECONDS)) {
                    try {
                        drain();
                    } finally {
                        turn.unlock();
                    }
                }
            } catch (InterruptedException e) {
                wasInterrupted = true;
            } finally {
                if (wasInterrupted) {
                    Uninterrupted.giveBack();
                }
            }
        }

        private synchronized @Nullable LeaseEvent next() {
            LeaseEvent event = events.poll();
            isBusy = event != null;
            return event;
        }

        synchronized long takeDropped() {
            long count = dropped;
            dropped = 0;
            return count;
        }

        private void tell(LeaseEvent event) {
            if (isClosed) {
                return;
            }
            try {
                listener.accept(event);
            } catch (Throwable e) {
                // Not even an Error or a checked exception, as Kotlin throws them, may get out: behind this call stand
                // the listener's other events.
                Log.warn("A listener of lease events threw on " + event.type(), e);
            }
        }
    }

    Subscription subscribe(Consumer<LeaseEvent> listener) {
        return subscribe(listener, event -> true);
    }

    /** The same for a listener that wants only some events, so that no thread is started for the others. */
    Subscription subscribe(Consumer<LeaseEvent> listener, Predicate<LeaseEvent> isWanted) {
        Mailbox mailbox = new Mailbox(listener, isWanted);
        mailboxes.add(mailbox);
        return () -> {
            mailbox.isClosed = true;
            mailboxes.remove(mailbox);
        };
    }

    /** Called in the order of events, by one thread at a time. */
    void post(List<LeaseEvent> events) {
        if (!events.isEmpty()) {
            mailboxes.forEach(mailbox -> mailbox.post(events));
        }
    }

    /** Whether anybody listens to any of these events. */
    boolean isHeard(List<LeaseEvent> events) {
        return mailboxes.stream().anyMatch(mailbox -> events.stream().anyMatch(mailbox.isWanted));
    }

    /** Delivers what was posted, each listener's share as a task of its own. */
    void deliver(Executor executor) {
        for (Mailbox mailbox : mailboxes) {
            warnOfDropped(mailbox, executor);
            if (mailbox.startDraining()) {
                executor.execute(mailbox::drain);
            }
        }
    }

    /** Delivers what was posted, on this thread, before it returns. Not to be mixed with {@link #deliver}. */
    void deliverHere() {
        for (Mailbox mailbox : mailboxes) {
            warnOfDropped(mailbox, Runnable::run);
            mailbox.drainHere();
        }
    }

    private static void warnOfDropped(Mailbox mailbox, Executor executor) {
        long dropped = mailbox.takeDropped();
        if (dropped > 0) {
            executor.execute(() -> Log.warn(
                    dropped + " lease events were dropped: a listener is too slow, and " + CAPACITY
                            + " events wait for it. Let it return sooner, or hand its work to another thread.",
                    null));
        }
    }
}
