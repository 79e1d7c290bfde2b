package dev.leasehold.benchmarks;

import java.time.Duration;

/**
 * How much time is spent.
 *
 * @param rounds how often each contestant gets its turn
 * @param slice how long a turn is
 * @param warmUp how long each contestant runs before the first round
 * @param counting how long each contestant runs while its statements are counted
 */
record Effort(int rounds, Duration slice, Duration warmUp, Duration counting) {
    static Effort of(int rounds, double seconds) {
        Duration slice = Duration.ofNanos((long) (seconds * 1e9));
        Duration half = slice.dividedBy(2);
        return new Effort(rounds, slice, slice, half);
    }
}
