package dev.leasehold.cli;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.Leases;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One command at a time: its lease is given back when it has ended. */
final class LockClaim implements Claim {
    @Override
    public CompletableFuture<Acquisition> ask(Leases leases, Plan plan) {
        return leases.acquireAsync(plan.key(), plan.leaseOptions());
    }

    @Override
    public void end(Lease lease, Plan plan, Ending ending, Voice voice) {
        Duration left = plan.atLeast().minus(ending.ran());
        if (ending.isLost()) {
            lease.abandon("the command was ended before the lease was over");
        } else if (left.isNegative() || left.isZero()) {
            lease.release();
        } else {
            lease.release(left);
        }
    }
}
