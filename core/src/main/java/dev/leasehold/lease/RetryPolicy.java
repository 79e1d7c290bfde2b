package dev.leasehold.lease;

import dev.leasehold.store.Micros;
import java.time.Duration;

/**
 * How often and how soon to try again: after {@code initialDelay}, then {@code multiplier} times longer each time,
 * {@code maxAttempts} attempts in all with the first. No delay is longer than {@code maxDelay}, the first included.
 *
 * <p>To change some of the numbers, start from {@link #DEFAULT}: {@code RetryPolicy.DEFAULT.withMaxAttempts(2)}.
 */
public record RetryPolicy(Duration initialDelay, double multiplier, Duration maxDelay, int maxAttempts) {
    /** 0.5, 1, 2, 4 s: five attempts. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(Duration.ofMillis(500), 2, Duration.ofSeconds(4), 5);

    public RetryPolicy {
        if (initialDelay.isNegative() || maxDelay.isNegative()) {
            throw new IllegalArgumentException("A retry policy's initialDelay and maxDelay must not be negative: "
                    + initialDelay + " and " + maxDelay + ".");
        }
        if (!(multiplier >= 1)) {
            throw new IllegalArgumentException(
                    "A retry policy's multiplier must be at least 1, not " + multiplier + ".");
        }
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("A retry policy needs at least one attempt, not " + maxAttempts + ".");
        }
        initialDelay = Micros.isForever(initialDelay) ? Micros.FOREVER : initialDelay;
        maxDelay = Micros.isForever(maxDelay) ? Micros.FOREVER : maxDelay;
    }

    public RetryPolicy withInitialDelay(Duration delay) {
        return new RetryPolicy(delay, multiplier, maxDelay, maxAttempts);
    }

    public RetryPolicy withMultiplier(double factor) {
        return new RetryPolicy(initialDelay, factor, maxDelay, maxAttempts);
    }

    public RetryPolicy withMaxDelay(Duration delay) {
        return new RetryPolicy(initialDelay, multiplier, delay, maxAttempts);
    }

    public RetryPolicy withMaxAttempts(int attempts) {
        return new RetryPolicy(initialDelay, multiplier, maxDelay, attempts);
    }

    /** How long to wait after so many attempts. */
    public Duration delayAfter(int attempts) {
        double nanos = initialDelay.toNanos() * Math.pow(multiplier, Math.max(0, attempts - 1));
        return nanos >= maxDelay.toNanos() ? maxDelay : Duration.ofNanos((long) nanos);
    }
}
