package dev.leasehold.lease;

/**
 * Tells in constant time whether the clocks may have come apart for one of many leases. It keeps the extremes of what
 * each {@link Validity} allows; a yes means that the leases must be looked at one by one.
 */
final class SleepWatch {
    private boolean isEmpty = true;
    private long lowestOffsetMicros;
    private long highestOffsetMicros;
    private long leastToleranceMicros;

    void clear() {
        isEmpty = true;
    }

    void include(Validity validity) {
        if (validity.deadline() == Long.MAX_VALUE) {
            return; // Never expires, so no sleep is too long for it.
        }
        long offset = validity.offsetMicros();
        long tolerance = validity.toleranceMicros();
        lowestOffsetMicros = isEmpty ? offset : Math.min(offset, lowestOffsetMicros);
        highestOffsetMicros = isEmpty ? offset : Math.max(offset, highestOffsetMicros);
        leastToleranceMicros = isEmpty ? tolerance : Math.min(tolerance, leastToleranceMicros);
        isEmpty = false;
    }

    boolean mayHaveSlept(Moment now) {
        long offset = now.offsetMicros();
        return !isEmpty
                && (offset - lowestOffsetMicros > leastToleranceMicros
                        || highestOffsetMicros - offset > leastToleranceMicros);
    }
}
