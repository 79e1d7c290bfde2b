package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** That the contract can fail, and says where. */
@Tag("slow")
@DisplayName("The store contract")
class ContractCatchesBrokenStoresTest {
    /** What became of the cases, by their ids. */
    private static final class Outcome implements TestExecutionListener {
        private final Set<String> passed = new ConcurrentSkipListSet<>();
        private final Map<String, String> failed = new ConcurrentSkipListMap<>();

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest()) {
                String name = test.getDisplayName();
                result.getThrowable().ifPresentOrElse(why -> failed.put(name, why.toString()), () -> passed.add(name));
            }
        }

        Set<String> failedIds() {
            Set<String> ids = new TreeSet<>();
            failed.keySet().forEach(name -> ids.add(name.substring(0, name.indexOf(' '))));
            return ids;
        }
    }

    private static Outcome run(Breakage breakage) {
        Outcome outcome = new Outcome();
        BreakableStoreContract.breakage = breakage;
        LauncherDiscoveryRequest contract = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(BreakableStoreContract.class))
                .build();
        LauncherConfig alone = LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .build();
        LauncherFactory.create(alone).execute(contract, outcome);
        return outcome;
    }

    @Test
    @DisplayName("passes a store that does what it should")
    void rightStorePasses() {
        Outcome outcome = run(Breakage.NONE);

        assertThat(outcome.failed).isEmpty();
        assertThat(outcome.passed).hasSizeGreaterThan(100);
    }

    @ParameterizedTest(name = "notices {0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void wrongStoreIsNoticed(Breakage breakage) {
        Outcome outcome = run(breakage);

        assertThat(breakage.noticedBy()).isNotEmpty();
        assertThat(outcome.failedIds()).containsAll(breakage.noticedBy());
        assertThat(outcome.passed).isNotEmpty();
    }

    @Test
    @DisplayName("says by which seed, and after which few requests, a store differed from its rules")
    void differenceIsExplained() {
        String explanation = run(Breakage.TOMBSTONE_IS_IGNORED).failed.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(Breakage.MODEL))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow();

        assertThat(explanation)
                .containsPattern("Seed \\d+, [23] steps \\(alone: -Dleasehold.tck.seed=\\d+\\)")
                .contains("AcquireRequest[", "ReleaseRequest[", "Spent[]", "but it answered");
    }
}
