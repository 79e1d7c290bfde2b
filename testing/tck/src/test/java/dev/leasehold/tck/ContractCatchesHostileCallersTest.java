package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.tck.PlantedCallersContract.Bug;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** That the hostile callers contract can fail, and where. */
@Tag("slow")
@DisplayName("The hostile callers contract")
class ContractCatchesHostileCallersTest {
    private static ContractRun run(Bug bug) {
        PlantedCallersContract.bug = bug;
        return ContractRun.of(PlantedCallersContract.class);
    }

    @Test
    @DisplayName("notices callbacks that run on the caller's thread")
    void callbacksOnTheCallersThread() {
        ContractRun outcome = run(Bug.CALLBACKS_ON_THE_CALLERS_THREAD);

        assertThat(outcome.failedIds()).contains("B01", "B05");
        assertThat(outcome.passed()).isNotEmpty();
    }

    @Test
    @DisplayName("notices leases that are acquired although nobody can release them")
    void dropsWhatFindsNoThread() {
        ContractRun outcome = run(Bug.DROPS_WHAT_FINDS_NO_THREAD);

        assertThat(outcome.failedIds()).containsExactly("B14");
    }
}
