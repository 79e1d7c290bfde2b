package dev.leasehold.cli;

import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import java.time.Duration;
import java.util.List;

/**
 * What {@code run} or {@code once} was asked to do.
 *
 * @param patience how long to wait for the lease at most; zero for not at all
 * @param grace between TERM and KILL
 * @param maxRuntime after which the command is ended
 */
record Plan(
        Key key,
        Owner owner,
        List<String> command,
        Duration ttl,
        Duration patience,
        Duration grace,
        Duration maxRuntime,
        boolean isRenewing,
        boolean stopsOnLoss,
        boolean runsWithoutStore,
        boolean hasInput,
        int busyCode) {
    /** Reaction times of a shell on a busy machine, taken off each lease; less of short ones. */
    private static final Duration SLACK = Duration.ofMillis(250);

    Plan {
        command = List.copyOf(command);
    }

    /** The same command, for which less is done when things go wrong. */
    Plan with(boolean renewing, boolean stoppingOnLoss, boolean runningWithoutStore) {
        return new Plan(
                key,
                owner,
                command,
                ttl,
                patience,
                grace,
                maxRuntime,
                renewing,
                stoppingOnLoss,
                runningWithoutStore,
                hasInput,
                busyCode);
    }

    LeaseOptions leaseOptions() {
        LeaseOptions options =
                (patience.isZero() ? LeaseOptions.noWait() : LeaseOptions.waitFor(patience)).withTtl(ttl);
        // A lease that must not live longer than its TTL is one that is not renewed.
        return isRenewing ? options : options.withLongestLife(ttl);
    }

    /** How long the command may go on under a lease that is valid for so long, if it is to be dead by then. */
    Duration undisturbed(Duration remaining) {
        return atLeastZero(remaining.minus(grace).minus(slack()));
    }

    /** The grace that is left to a command that is ended now, under a lease that is valid for so long. */
    Duration graceWithin(Duration remaining) {
        Duration left = remaining.minus(slack());
        return remaining.isZero() || left.compareTo(grace) > 0 ? grace : atLeastZero(left);
    }

    private Duration slack() {
        Duration share = ttl.dividedBy(20);
        return share.compareTo(SLACK) < 0 ? share : SLACK;
    }

    private static Duration atLeastZero(Duration time) {
        return time.isNegative() ? Duration.ZERO : time;
    }

    boolean hasLimit() {
        return !Micros.isForever(maxRuntime);
    }
}
