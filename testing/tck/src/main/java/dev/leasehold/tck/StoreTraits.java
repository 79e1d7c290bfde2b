package dev.leasehold.tck;

import java.time.Duration;

/**
 * What a store is able to do, as far as stores may differ: the only thing by which an author can change what
 * {@link LeaseStoreContract} asks. A case that needs more than the traits promise checks what is left of it; none is
 * skipped.
 *
 * @param time how tests make the store's clock move
 * @param tick the smallest step of time that the store can tell apart
 * @param tellsWakeUps whether {@code onWakeUp} tells; if not, it must answer that it cannot
 * @param isShared whether several store objects can be open on the same data at once
 * @param isKept whether what is stored outlives the store object
 * @param racers how many threads the races use
 * @param operations how many calls the long cases make
 * @param largestPayload how many bytes an answer or checkpoint may have; a megabyte, unless the store's server has a limit
 */
public record StoreTraits(
        Time time,
        Duration tick,
        boolean tellsWakeUps,
        boolean isShared,
        boolean isKept,
        int racers,
        int operations,
        int largestPayload) {
    /** How tests make the store's clock move. */
    public enum Time {
        /** Not at all: they wait. */
        REAL,
        /** It runs by itself, and can be moved forward and back. */
        MOVED,
        /** It stands still until it is moved, so that every time can be compared to the microsecond. */
        MANUAL
    }

    public StoreTraits {
        if (tick.compareTo(Duration.ofNanos(1_000)) < 0 || racers < 2 || operations < 1) {
            throw new IllegalArgumentException(
                    "A tick is at least a microsecond, a race has two racers, and a case one call.");
        }
    }

    /** A store that is kept and shared, in real time and whole microseconds, which tells nobody. */
    public static StoreTraits inRealTime() {
        return new StoreTraits(Time.REAL, Duration.ofNanos(1_000), false, true, true, 64, 2_000, 1 << 20);
    }

    /** The same, with a clock that runs and can be moved. */
    public static StoreTraits inMovedTime() {
        return inRealTime().with(Time.MOVED);
    }

    /** The same, with a clock that stands still until it is moved. */
    public static StoreTraits inManualTime() {
        return inRealTime().with(Time.MANUAL);
    }

    private StoreTraits with(Time other) {
        return new StoreTraits(other, tick, tellsWakeUps, isShared, isKept, racers, operations, largestPayload);
    }

    /** Times are seen, or kept, in steps of this length. */
    public StoreTraits withTick(Duration step) {
        return new StoreTraits(time, step, tellsWakeUps, isShared, isKept, racers, operations, largestPayload);
    }

    public StoreTraits tellingWakeUps() {
        return new StoreTraits(time, tick, true, isShared, isKept, racers, operations, largestPayload);
    }

    /** One store object at a time, as in memory. */
    public StoreTraits notShared() {
        return new StoreTraits(time, tick, tellsWakeUps, false, isKept, racers, operations, largestPayload);
    }

    /** Everything is gone with the store object. */
    public StoreTraits notKept() {
        return new StoreTraits(time, tick, tellsWakeUps, isShared, false, racers, operations, largestPayload);
    }

    public StoreTraits withRacers(int threads) {
        return new StoreTraits(time, tick, tellsWakeUps, isShared, isKept, threads, operations, largestPayload);
    }

    /** More for a fast store, fewer for a slow one: a long case should take about a second. */
    public StoreTraits withOperations(int calls) {
        return new StoreTraits(time, tick, tellsWakeUps, isShared, isKept, racers, calls, largestPayload);
    }

    /** For a server that keeps less than a megabyte in one place. */
    public StoreTraits withLargestPayload(int bytes) {
        return new StoreTraits(time, tick, tellsWakeUps, isShared, isKept, racers, operations, bytes);
    }
}
