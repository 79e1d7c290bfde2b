package dev.leasehold.tck;

import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.Moment;
import dev.leasehold.store.Subscription;
import java.util.function.Supplier;

/** Another clockwork, unchanged: for those that change or watch one method of it. */
public abstract class ForwardingClockwork implements Clockwork {
    protected final Clockwork clockwork;

    protected ForwardingClockwork(Clockwork clockwork) {
        this.clockwork = clockwork;
    }

    @Override
    public Moment now() {
        return clockwork.now();
    }

    @Override
    public Alarm newAlarm(Runnable task) {
        return clockwork.newAlarm(task);
    }

    @Override
    public void dispatch(Runnable task) {
        clockwork.dispatch(task);
    }

    @Override
    public <T> void call(Supplier<T> verb, Reply<T> reply) {
        clockwork.call(verb, reply);
    }

    @Override
    public Subscription atExit(Runnable task) {
        return clockwork.atExit(task);
    }
}
