package dev.leasehold.cli;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.Leases;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What a command's lease is for: how it is asked for, and how it ends. One object for one run. */
interface Purpose extends AutoCloseable {
    /**
     * How the command ended.
     *
     * @param code the one that this process exits with
     * @param ran since its start
     * @param isLost whether it was ended because the lease was lost
     * @param isInterrupted whether a signal asked for its end
     */
    record Ending(int code, Duration ran, boolean isLost, boolean isInterrupted) {}

    /**
     * What is said, and exited with, in place of a run that is over.
     *
     * @param code the one to exit with
     */
    record Replay(int code, String text) {}

    CompletableFuture<Acquisition> ask(Leases leases, Plan plan);

    /** The answer to give instead of "busy", if there is one. */
    default Optional<Replay> replay() {
        return Optional.empty();
    }

    /** Ends the lease after the command. */
    void end(Lease lease, Plan plan, Ending ending, Voice voice);

    /** No command was started, or it has ended: nothing may be left behind. */
    @Override
    default void close() {}
}
