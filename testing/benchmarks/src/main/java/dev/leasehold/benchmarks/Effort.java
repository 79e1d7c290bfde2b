package dev.leasehold.benchmarks;

import java.time.Duration;

/**
 * How much time is spent.
 *
 * @param rounds how often each contestant gets its turn
 * @param slice how long a turn is
 * @param warmUp how long each contestant runs before the first round
 * @param counting how long each contestant runs while its statements are counted
 * @param operations after how many of them a turn is over, if it is not over before
 * @param window how long leases are kept alive
 */
record Effort(int rounds, Duration slice, Duration warmUp, Duration counting, long operations, Duration window) {
    /** Enough for any number of operations that makes sense. */
    private static final Duration LONG = Duration.ofMinutes(10);

    static Effort of(int rounds, double seconds) {
        Duration slice = Duration.ofNanos((long) (seconds * 1e9));
        Duration half = slice.dividedBy(2);
        return new Effort(rounds, slice, slice, half, Long.MAX_VALUE, slice);
    }

    /** This, with at least so long a warm-up. */
    Effort withWarmUp(Duration least) {
        return warmUp.compareTo(least) >= 0 ? this : new Effort(rounds, slice, least, counting, operations, window);
    }

    /** This, with turns that end after so many operations. */
    Effort withOperations(long count) {
        return new Effort(rounds, LONG, warmUp, counting, count, window);
    }

    /** This, with leases that are kept alive for so long. */
    Effort keepingFor(Duration time) {
        return new Effort(rounds, slice, warmUp, counting, operations, time);
    }
}
