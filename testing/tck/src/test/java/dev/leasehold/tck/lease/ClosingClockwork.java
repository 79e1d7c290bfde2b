package dev.leasehold.tck.lease;

import dev.leasehold.lease.Moment;
import dev.leasehold.tck.ForwardingClockwork;
import dev.leasehold.tck.ManualTime;

/** Manual time in which something happens just when a client reads the clock: between its check and its step. */
final class ClosingClockwork extends ForwardingClockwork {
    private Runnable next = () -> {};

    ClosingClockwork(ManualTime time) {
        super(time);
    }

    void atNextReading(Runnable action) {
        next = action;
    }

    @Override
    public Moment now() {
        Runnable action = next;
        next = () -> {};
        action.run();
        return super.now();
    }
}
