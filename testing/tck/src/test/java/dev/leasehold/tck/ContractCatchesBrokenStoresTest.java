package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That the contract can fail, and says where. */
@Tag("slow")
@DisplayName("The store contract")
class ContractCatchesBrokenStoresTest {
    private static ContractRun run(Breakage breakage) {
        BreakableStoreContract.breakage = breakage;
        return ContractRun.of(BreakableStoreContract.class);
    }

    @Test
    @DisplayName("passes a store that does what it should")
    void rightStorePasses() {
        ContractRun outcome = run(Breakage.NONE);

        assertThat(outcome.failed()).isEmpty();
        assertThat(outcome.passed()).hasSizeGreaterThan(100);
    }

    @ParameterizedTest(name = "notices {0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void wrongStoreIsNoticed(Breakage breakage) {
        ContractRun outcome = run(breakage);

        assertThat(breakage.noticedBy()).isNotEmpty();
        assertThat(outcome.failedIds()).containsAll(breakage.noticedBy());
        assertThat(outcome.passed()).isNotEmpty();
    }

    @Test
    @DisplayName("says by which seed, and after which few requests, a store differed from its rules")
    void differenceIsExplained() {
        String explanation = run(Breakage.TOMBSTONE_IS_IGNORED).failed().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(Breakage.MODEL))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow();

        assertThat(explanation)
                .containsPattern("Seed \\d+, [23] steps \\(alone: -Dleasehold.tck.seed=\\d+\\)")
                .contains("AcquireRequest[", "ReleaseRequest[", "Spent[]", "but it answered");
    }
}
