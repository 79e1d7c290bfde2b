package dev.leasehold.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The keys of a cell, dealt out to its threads so that no two ever ask for the same one.
 *
 * @param records how many there are
 */
record KeySpace(String prefix, int records, int threads) {
    /** Of keys that a bulk insert makes. */
    static final String PREFIX = "job-";

    /** A key of this thread's, at random. */
    String next(int thread) {
        int mine = (records - thread + threads - 1) / threads;
        return key(thread + threads * ThreadLocalRandom.current().nextInt(mine));
    }

    /** Any key, at random, for work that threads may share. */
    String any() {
        return key(ThreadLocalRandom.current().nextInt(records));
    }

    /** All keys of this thread's. */
    List<String> of(int thread) {
        List<String> keys = new ArrayList<>();
        for (int i = thread; i < records; i += threads) {
            keys.add(key(i));
        }
        return keys;
    }

    private String key(int number) {
        return prefix + number;
    }
}
