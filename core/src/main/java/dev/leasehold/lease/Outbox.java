package dev.leasehold.lease;

import java.util.ArrayList;
import java.util.List;

/** What one step of the engine wants done, in order: asks to be sent, events to be told, things to be run. */
final class Outbox {
    private final List<Ask<?>> asks = new ArrayList<>(2);
    private final List<LeaseEvent> events = new ArrayList<>(2);
    private final List<Runnable> afterwards = new ArrayList<>(2);
    private final List<Runnable> atOnce = new ArrayList<>(0);

    void send(Ask<?> ask) {
        asks.add(ask);
    }

    void tell(LeaseEvent event) {
        events.add(event);
    }

    /**
     * Something that must not run inside the engine, such as completing what a caller waits for. It is quick and runs on
     * any thread, so code of the user's is not run by it but given to {@link Errands}.
     */
    void afterwards(Runnable task) {
        afterwards.add(task);
    }

    /** The same for what does not wait for listeners to be told first. */
    void atOnce(Runnable task) {
        atOnce.add(task);
    }

    List<Ask<?>> asks() {
        return asks;
    }

    List<LeaseEvent> events() {
        return events;
    }

    List<Runnable> afterwards() {
        return afterwards;
    }

    List<Runnable> atOnce() {
        return atOnce;
    }
}
