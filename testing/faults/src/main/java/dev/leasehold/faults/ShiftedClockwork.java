package dev.leasehold.faults;

import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.Moment;
import dev.leasehold.lease.SystemClockwork;
import dev.leasehold.store.Subscription;
import java.util.function.Supplier;

/** The system's threads, with clocks that are off. */
final class ShiftedClockwork implements Clockwork {
    private final Clockwork system = SystemClockwork.shared();
    private final Clocks clocks;

    ShiftedClockwork(Clocks clocks) {
        this.clocks = clocks;
    }

    @Override
    public Moment now() {
        Moment now = system.now();
        return new Moment(now.nanos() - clocks.hiddenNanos(), now.wallMicros() + clocks.wallMicros());
    }

    /** One that was set before the clock stood still rings early; whoever set it looks at the clock and sets it again. */
    @Override
    public Alarm newAlarm(Runnable task) {
        Alarm alarm = system.newAlarm(task);
        return new Alarm() {
            @Override
            public void setFor(long nanos) {
                alarm.setFor(nanos == Long.MAX_VALUE ? nanos : nanos + clocks.hiddenNanos());
            }

            @Override
            public void close() {
                alarm.close();
            }
        };
    }

    @Override
    public void dispatch(Runnable task) {
        system.dispatch(task);
    }

    @Override
    public <T> void call(Supplier<T> verb, Reply<T> reply) {
        system.call(verb, reply);
    }

    @Override
    public Subscription atExit(Runnable task) {
        return system.atExit(task);
    }
}
