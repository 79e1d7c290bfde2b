package dev.leasehold.lease;

/**
 * All that decides whether a lease is valid, in one immutable value, so that a check is a single read.
 *
 * @param deadline until when by the monotonic clock
 * @param offsetMicros how far the wall clock was ahead of the monotonic one when this was granted
 * @param toleranceMicros how much that may grow before we must think that this process slept
 */
record Validity(LeaseState state, long deadline, long offsetMicros, long toleranceMicros) {
    boolean holdsAt(Moment now) {
        return (state == LeaseState.HELD || state == LeaseState.AT_RISK) && now.nanos() < deadline && !sleptBy(now);
    }

    /**
     * Whether the two clocks came apart: the monotonic one stood still while the wall clock went on, or somebody set
     * the wall clock. A clock set back could hide a sleep, so either way counts.
     */
    boolean sleptBy(Moment now) {
        return deadline != Long.MAX_VALUE && Math.abs(now.offsetMicros() - offsetMicros) > toleranceMicros;
    }

    Validity until(long other) {
        return new Validity(state, other, offsetMicros, toleranceMicros);
    }

    /** A shorter life bears a shorter sleep. */
    Validity shortened(long other, long tolerance) {
        return new Validity(state, other, offsetMicros, Math.min(toleranceMicros, tolerance));
    }

    Validity as(LeaseState other) {
        return new Validity(other, deadline, offsetMicros, toleranceMicros);
    }
}
