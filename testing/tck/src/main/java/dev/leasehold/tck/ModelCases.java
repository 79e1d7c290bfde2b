package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The store against its definition. */
abstract class ModelCases extends PurgeCases {
    /** Names one seed to run alone, as a failure prints it. */
    static final String SEED = "leasehold.tck.seed";

    private static final int LENGTH = 100;
    private static final int MOST = 200;
    private static final int ENOUGH_FOR_EVERYTHING = 2_000;
    private static final long SHRINKING_NANOS = Duration.ofSeconds(10).toNanos();

    private int runs;

    @Test
    @DisplayName("Model: whatever is asked in whatever order, every answer and every record is what LeaseRules says")
    final void storeDoesWhatTheRulesSay() throws Exception {
        Key clockKey = take(ask(key("clock"), AcquireRequest.MAX_TTL)).key();
        Long only = Long.getLong(SEED);
        int sequences = isTimeReal() ? 1 : Math.min(MOST, Math.max(1, traits().operations() / LENGTH));
        Set<String> outcomes = new TreeSet<>();
        for (long seed = only == null ? 1 : only; seed <= (only == null ? sequences : only); seed++) {
            List<ModelStep> steps = ModelStep.sequence(seed, LENGTH, isTimeReal());
            ModelRun run = newRun(clockKey, outcomes);
            Optional<ModelRun.Difference> difference = run.run(steps);
            if (difference.isPresent()) {
                reportShortest(seed, clockKey, steps.subList(0, run.stepsTaken()), difference.get());
            }
        }
        if (only == null && !isTimeReal() && traits().operations() >= ENOUGH_FOR_EVERYTHING) {
            assertThat(outcomes)
                    .as("everything that can happen, happened")
                    .contains("Granted", "Held", "Cooling", "Settled", "Mismatch", "Spent")
                    .contains(
                            "Renewed",
                            "NotRenewed",
                            "TtlChanged",
                            "TtlNotChanged",
                            "RELEASED",
                            "NOT_HELD",
                            "SETTLED",
                            "SUPERSEDED")
                    .contains("Purged", "NotPurged");
        }
    }

    private ModelRun newRun(Key clockKey, Set<String> outcomes) {
        return new ModelRun(store, underTest, clockKey, prefix() + "run-" + runs++ + "/", outcomes);
    }

    /** Leaves out one step after the other for as long as the rest still fails. */
    private void reportShortest(long seed, Key clockKey, List<ModelStep> failing, ModelRun.Difference first)
            throws Exception {
        List<ModelStep> shortest = failing;
        ModelRun.Difference difference = first;
        long start = System.nanoTime();
        for (int i = shortest.size() - 2; i >= 0 && !isTimeReal() && System.nanoTime() - start < SHRINKING_NANOS; i--) {
            List<ModelStep> shorter = new ArrayList<>(shortest);
            shorter.remove(Math.min(i, shorter.size() - 1));
            ModelRun run = newRun(clockKey, new TreeSet<>());
            Optional<ModelRun.Difference> again = run.run(shorter);
            if (again.isPresent()) {
                shortest = shorter.subList(0, run.stepsTaken());
                difference = again.get();
            }
        }
        fail("Seed %d, %d steps (alone: -D%s=%d). %s", seed, shortest.size(), SEED, seed, difference.getMessage());
    }
}
