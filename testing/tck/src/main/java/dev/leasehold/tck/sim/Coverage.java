package dev.leasehold.tck.sim;

import java.util.Map;
import java.util.TreeMap;

/** How often each fault struck and each outcome occurred, so that a run that tested nothing can be told from a good one. */
public final class Coverage {
    private final Map<String, Long> counts = new TreeMap<>();

    void count(String what) {
        counts.merge(what, 1L, Long::sum);
    }

    /** Adds another run's counts to these. */
    public void add(Coverage other) {
        other.counts.forEach((what, times) -> counts.merge(what, times, Long::sum));
    }

    public long of(String what) {
        return counts.getOrDefault(what, 0L);
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
