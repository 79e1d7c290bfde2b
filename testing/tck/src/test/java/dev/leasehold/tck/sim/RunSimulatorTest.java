package dev.leasehold.tck.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The simulator, of runs")
class RunSimulatorTest {
    /** Replays this seed alone: {@code -Dleasehold.sim.seed=42}. */
    private static final Long ONLY_SEED = Long.getLong("leasehold.sim.seed");

    private static final int SEEDS = Integer.getInteger("leasehold.sim.seeds", 500);

    private static final List<String> OUTCOMES = List.of(
            "outcome Ran",
            "outcome Replayed",
            "outcome InProgress",
            "outcome Mismatch",
            "outcome Unrecorded",
            "outcome cleared",
            "outcome unknown",
            "answer Settled",
            "purged");

    private static Coverage mustBeGood(Simulation.Outcome outcome) {
        assertThat(outcome.violations())
                .as("Replay it with: ./check -pl tck -Dtest=RunSimulatorTest -Dleasehold.sim.seed=%d", outcome.seed())
                .isEmpty();
        return outcome.coverage();
    }

    @Test
    @Tag("slow")
    @DisplayName("O02 O09 O10 finds no promise broken in hundreds of seeds, and every outcome occurs")
    void runsKeepTheirPromises() {
        LongStream seeds = ONLY_SEED == null ? LongStream.rangeClosed(1, SEEDS) : LongStream.of(ONLY_SEED);
        Coverage coverage = seeds.parallel()
                .mapToObj(seed -> mustBeGood(Simulation.runOnce(seed, Sabotage.NONE)))
                .collect(Coverage::new, Coverage::add, Coverage::add);
        if (ONLY_SEED == null) {
            assertThat(OUTCOMES).as("every outcome occurred: %s", coverage).allMatch(what -> coverage.of(what) > 0);
        }
    }

    @Test
    @DisplayName("finds no promise broken in the first thirty seeds")
    void runsKeepTheirPromisesBriefly() {
        LongStream.rangeClosed(1, 30).forEach(seed -> mustBeGood(Simulation.runOnce(seed, Sabotage.NONE)));
    }

    @ParameterizedTest
    @EnumSource(PlantedRunBug.class)
    @DisplayName("finds the planted bug")
    void plantedBugsAreFound(PlantedRunBug bug) {
        Optional<Simulation.Outcome> found = LongStream.rangeClosed(1, 500)
                .mapToObj(seed -> Simulation.runOnce(seed, bug.plant()))
                .filter(outcome -> !outcome.isGood())
                .findFirst();
        assertThat(found).as("500 seeds did not show %s", bug).isPresent();
        Simulation.Outcome outcome = found.orElseThrow();
        assertThat(bug.brokenPromises()).contains(outcome.violations().get(0).promise());
        assertThat(Simulation.runOnce(outcome.seed(), bug.plant()).violations())
                .as("seed %d replays exactly", outcome.seed())
                .isEqualTo(outcome.violations());
    }
}
