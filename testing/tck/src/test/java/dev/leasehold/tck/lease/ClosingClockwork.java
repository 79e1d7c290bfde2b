package dev.leasehold.tck.lease;

import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.Moment;
import dev.leasehold.store.Subscription;
import dev.leasehold.tck.ManualTime;
import java.util.function.Supplier;

/** Manual time in which something happens just when a client reads the clock: between its check and its step. */
final class ClosingClockwork implements Clockwork {
    private final ManualTime time;
    private Runnable next = () -> {};

    ClosingClockwork(ManualTime time) {
        this.time = time;
    }

    void atNextReading(Runnable action) {
        next = action;
    }

    @Override
    public Moment now() {
        Runnable action = next;
        next = () -> {};
        action.run();
        return time.now();
    }

    @Override
    public Alarm newAlarm(Runnable task) {
        return time.newAlarm(task);
    }

    @Override
    public void dispatch(Runnable task) {
        time.dispatch(task);
    }

    @Override
    public <T> void call(Supplier<T> verb, Reply<T> reply) {
        time.call(verb, reply);
    }

    @Override
    public Subscription atExit(Runnable task) {
        return time.atExit(task);
    }
}
