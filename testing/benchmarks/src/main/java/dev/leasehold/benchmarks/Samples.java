package dev.leasehold.benchmarks;

import java.util.Arrays;
import java.util.Collection;

/** How long each operation of one thread took. */
final class Samples {
    private long[] nanos = new long[4_096];
    private int count;
    private long refusals;
    private long stays;
    private long timeouts;
    private long longestGapNanos;

    void add(long time) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, count * 2);
        }
        nanos[count++] = time;
    }

    /** A key was refused although it was free. */
    void refused() {
        refusals++;
    }

    /** The lock was had again by whoever had it last: a turn, but no change of owner. */
    void stayed() {
        stays++;
    }

    /** A call gave up waiting. */
    void timedOut() {
        timeouts++;
    }

    /** The key was with nobody for so long before this thread got it. */
    void addGap(long time) {
        longestGapNanos = Math.max(longestGapNanos, time);
    }

    /** What makes up a rate. */
    long changes() {
        return count - stays;
    }

    int count() {
        return count;
    }

    long refusals() {
        return refusals;
    }

    long timeouts() {
        return timeouts;
    }

    double longestGapMillis() {
        return longestGapNanos / 1e6;
    }

    static Samples merged(Collection<Samples> all) {
        Samples merged = new Samples();
        merged.nanos = all.stream()
                .flatMapToLong(samples -> Arrays.stream(samples.nanos, 0, samples.count))
                .sorted()
                .toArray();
        merged.count = merged.nanos.length;
        merged.refusals = all.stream().mapToLong(Samples::refusals).sum();
        merged.timeouts = all.stream().mapToLong(Samples::timeouts).sum();
        merged.longestGapNanos =
                all.stream().mapToLong(samples -> samples.longestGapNanos).max().orElse(0);
        return merged;
    }

    /** Of merged samples: what this share of them does not exceed. */
    double micros(double share) {
        if (count == 0) {
            return Double.NaN;
        }
        int index = (int) Math.ceil(share * count) - 1;
        return nanos[Math.max(0, index)] / 1_000.0;
    }
}
