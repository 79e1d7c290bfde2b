package dev.leasehold.lease;

import java.time.Instant;

/**
 * Both clocks of this process, read together.
 *
 * @param nanos the monotonic clock, counted from some fixed moment of this process and never negative
 * @param wallMicros the wall clock, in microseconds since 1970; anybody may set it
 */
public record Moment(long nanos, long wallMicros) {
    /** How far the wall clock is ahead of the monotonic one. It grows while the machine is suspended. */
    long offsetMicros() {
        return wallMicros - nanos / 1_000;
    }

    Instant wall() {
        return wallAfter(0);
    }

    /** The wall clock's likely reading so many nanoseconds from now. */
    Instant wallAfter(long laterNanos) {
        long micros = wallMicros + laterNanos / 1_000;
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000);
    }
}
