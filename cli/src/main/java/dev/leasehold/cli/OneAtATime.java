package dev.leasehold.cli;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.Leases;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One command at a time: its lease is given back when it has ended. */
final class OneAtATime implements Purpose {
    private final Duration atLeast;

    /**
     * Lock mode: the lease is released when the command ends.
     *
     * @param atLeast how long the key stays closed after the start, even if the command ends earlier
     */
    OneAtATime(Duration atLeast) {
        this.atLeast = atLeast;
    }

    @Override
    public CompletableFuture<Acquisition> ask(Leases leases, Plan plan) {
        return leases.acquireAsync(plan.key(), plan.leaseOptions());
    }

    @Override
    public void end(Lease lease, Plan plan, Ending ending, Voice voice) {
        Duration left = atLeast.minus(ending.ran());
        if (ending.isLost()) {
            lease.abandon("the command was ended before the lease was over");
        } else if (left.isNegative() || left.isZero()) {
            lease.release();
        } else {
            lease.release(left);
        }
    }
}
