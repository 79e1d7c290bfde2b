package dev.leasehold.lease;

import dev.leasehold.store.Subscription;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Tells events to any number of listeners, to each in order and one at a time. A listener that throws harms nobody; one
 * that blocks keeps only its own events waiting.
 */
final class EventHub {
    private final List<Mailbox> mailboxes = new CopyOnWriteArrayList<>();

    private static final class Mailbox {
        private final Consumer<LeaseEvent> listener;
        private final Queue<LeaseEvent> events = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean isBusy = new AtomicBoolean();
        private volatile boolean isClosed;

        Mailbox(Consumer<LeaseEvent> listener) {
            this.listener = listener;
        }

        /** Whoever finds it busy leaves the events to the thread that is at it. */
        void drain() {
            while (!events.isEmpty() && isBusy.compareAndSet(false, true)) {
                try {
                    for (LeaseEvent event = events.poll(); event != null; event = events.poll()) {
                        tell(event);
                    }
                } finally {
                    isBusy.set(false);
                }
            }
        }

        private void tell(LeaseEvent event) {
            if (isClosed) {
                return;
            }
            try {
                listener.accept(event);
            } catch (RuntimeException | Error e) {
                // Not even an Error may get out: behind this call stand other listeners, and the leases themselves.
                Log.LOGGER.log(System.Logger.Level.WARNING, "A listener of lease events threw on " + event.type(), e);
            }
        }
    }

    Subscription subscribe(Consumer<LeaseEvent> listener) {
        Mailbox mailbox = new Mailbox(listener);
        mailboxes.add(mailbox);
        return () -> {
            mailbox.isClosed = true;
            mailboxes.remove(mailbox);
        };
    }

    /** Called in the order of events, by one thread at a time. */
    void post(List<LeaseEvent> events) {
        if (!events.isEmpty()) {
            mailboxes.forEach(mailbox -> mailbox.events.addAll(events));
        }
    }

    /** Delivers what was posted, each listener's share as a task of its own. */
    void deliver(Executor executor) {
        for (Mailbox mailbox : mailboxes) {
            if (!mailbox.events.isEmpty()) {
                executor.execute(mailbox::drain);
            }
        }
    }
}
