package dev.leasehold.benchmarks;

import java.util.Arrays;

/** How evenly turns were dealt out. */
final class Fairness {
    private Fairness() {}

    /** Most by fewest. A node that had none counts as if it had one. */
    static double of(long[] turns) {
        long most = Arrays.stream(turns).max().orElse(0);
        long fewest = Arrays.stream(turns).min().orElse(0);
        return most / (double) Math.max(1, fewest);
    }
}
