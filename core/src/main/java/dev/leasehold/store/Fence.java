package dev.leasehold.store;

/**
 * The number of a grant: larger than that of every earlier grant of the same key, for ever.
 *
 * <p>A resource that remembers the largest fence it has seen, and refuses writes with a smaller one, cannot be harmed
 * by a holder that was paused and overtaken. A fence is {@code max(previous + 1, store clock in microseconds)}, so it
 * grows across release, purge, restart and restore, and stays below 2<sup>53</sup>, so it passes through JSON and
 * JavaScript unharmed.
 */
public record Fence(long value) implements Comparable<Fence> {
    /** The largest fence: 2<sup>53</sup> − 1, reached by the clock in the year 2255. */
    public static final long MAX_VALUE = (1L << 53) - 1;

    public Fence {
        if (value < 1 || value > MAX_VALUE) {
            throw new IllegalArgumentException("A fence must be between 1 and 2^53 - 1, not " + value + ".");
        }
    }

    public static Fence of(long value) {
        return new Fence(value);
    }

    /** The fence of a grant made at this moment of the store's clock, after the given one. */
    public static Fence after(long previous, long nowMicros) {
        return new Fence(Math.max(previous + 1, nowMicros));
    }

    public boolean isOlderThan(Fence other) {
        return value < other.value;
    }

    @Override
    public int compareTo(Fence other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
