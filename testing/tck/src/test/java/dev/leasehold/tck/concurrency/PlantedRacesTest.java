package dev.leasehold.tck.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.tck.concurrency.RacyStore.Bug;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That the check can fail, and says where. */
@DisplayName("The concurrency check")
class PlantedRacesTest {
    /** Far more than it takes, so that a busy machine fails no test. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static Optional<String> run(Bug bug, Duration time) throws Exception {
        try (RacyStore store = new RacyStore(bug)) {
            return new ConcurrencyCheck(List.of(store, store), "planted/", Duration.ofMillis(1), 42).run(time);
        }
    }

    @Test
    @DisplayName("passes a store that does what it should")
    void rightStorePasses() throws Exception {
        assertThat(run(Bug.NONE, Duration.ofSeconds(2))).isEmpty();
    }

    @ParameterizedTest(name = "notices {0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void bugIsNoticed(Bug bug) throws Exception {
        Optional<String> wrong = run(bug, PATIENCE);

        assertThat(wrong).isPresent();
        assertThat(wrong.get()).startsWith("Seed 42, segment ");
        if (bug == Bug.LOCKED_RECORD_IS_AN_OUTAGE) {
            assertThat(wrong.get()).contains("unavailable", "is locked");
        } else {
            assertThat(wrong.get()).contains("Key planted/").contains(" ms  t");
        }
    }
}
