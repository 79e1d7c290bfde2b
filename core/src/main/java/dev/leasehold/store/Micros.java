package dev.leasehold.store;

import java.time.Duration;

/** Durations as the whole microseconds in which stores count. */
public final class Micros {
    /** The longest time a store is asked to count: a hundred years. Longer than this means "for ever". */
    public static final Duration FOREVER = Duration.ofDays(36_525);

    private Micros() {}

    /** Whole microseconds, rounded up, so that a positive duration never becomes nothing. */
    public static long of(Duration duration) {
        if (duration.compareTo(FOREVER) >= 0) {
            return FOREVER.toSeconds() * 1_000_000;
        }
        return Math.addExact(duration.toSeconds() * 1_000_000, (duration.toNanosPart() + 999) / 1_000);
    }

    public static Duration toDuration(long micros) {
        return Duration.ofSeconds(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000);
    }

    /** Whether a lease or an answer with this much time left never runs out. */
    public static boolean isForever(Duration duration) {
        return duration.compareTo(FOREVER) >= 0;
    }

    static Duration checkNotNegative(String what, Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException(what + " must not be negative: " + duration + ".");
        }
        return duration.compareTo(FOREVER) > 0 ? FOREVER : duration;
    }
}
