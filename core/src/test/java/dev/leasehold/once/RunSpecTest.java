package dev.leasehold.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A run's spec")
class RunSpecTest {
    private final RunSpec<String> spec = RunSpec.of(Codec.utf8());

    @Test
    @DisplayName("has the documented defaults")
    void defaults() {
        assertThat(spec.leaseTtl()).isEqualTo(Duration.ofSeconds(30));
        assertThat(spec.retention()).isEqualTo(Duration.ofDays(1));
        assertThat(spec.maxAttempts()).isEqualTo(Integer.MAX_VALUE);
        assertThat(spec.largestResult()).isEqualTo(1 << 20);
        assertThat(spec.onStale()).isEqualTo(OnStale.RERUN);
        assertThat(spec.waits()).isFalse();
        assertThat(spec.cache()).isNull();
    }

    @Test
    @DisplayName("refuses times that are zero or negative when it is built")
    void badTimesAreRefused() {
        for (Duration bad : List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofDays(-1))) {
            assertThatIllegalArgumentException().isThrownBy(() -> spec.withLeaseTtl(bad));
            assertThatIllegalArgumentException().isThrownBy(() -> spec.withLongestRun(bad));
            assertThatIllegalArgumentException().isThrownBy(() -> spec.withRetention(bad));
            assertThatIllegalArgumentException().isThrownBy(() -> spec.waitingFor(bad));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> spec.withLongestRun(Duration.ofSeconds(29)));
    }

    @Test
    @DisplayName("refuses limits below one")
    void badLimitsAreRefused() {
        for (int bad : new int[] {0, -1, Integer.MIN_VALUE}) {
            assertThatIllegalArgumentException().isThrownBy(() -> spec.withMaxAttempts(bad));
            assertThatIllegalArgumentException().isThrownBy(() -> spec.withLargestResult(bad));
            assertThatIllegalArgumentException().isThrownBy(() -> AnswerCache.of(bad, 1));
            assertThatIllegalArgumentException().isThrownBy(() -> AnswerCache.of(1, bad));
        }
    }

    @Test
    @DisplayName("takes for ever however it is said")
    void foreverIsAllowed() {
        Duration forever = ChronoUnit.FOREVER.getDuration();
        assertThat(spec.withRetention(forever)
                        .withLongestRun(forever)
                        .waitingFor(forever)
                        .waits())
                .isTrue();
    }

    @Test
    @DisplayName("is changed in a copy, with everything else as it was")
    void changesGiveCopies() {
        FailurePolicy policy = (error, attempt) -> Verdict.HOLD;
        RunSpec<String> changed = spec.withLeaseTtl(Duration.ofSeconds(5))
                .withLongestRun(Duration.ofSeconds(60))
                .withRetention(Duration.ofHours(1))
                .withFailurePolicy(policy)
                .withOnStale(OnStale.HOLD)
                .withMaxAttempts(3)
                .withLargestResult(100)
                .waitingFor(Duration.ofSeconds(2));
        RunSpec<String> copy = changed.answeringAtOnce();
        assertThat(copy.leaseTtl()).isEqualTo(Duration.ofSeconds(5));
        assertThat(copy.retention()).isEqualTo(Duration.ofHours(1));
        assertThat(copy.onFailure()).isSameAs(policy);
        assertThat(copy.onStale()).isEqualTo(OnStale.HOLD);
        assertThat(copy.maxAttempts()).isEqualTo(3);
        assertThat(copy.largestResult()).isEqualTo(100);
        assertThat(copy.waits()).isFalse();
        assertThat(changed.waits()).isTrue();
        assertThat(spec.leaseTtl()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    @DisplayName("clears every failure by default, but those that say that they are for good")
    void defaultPolicyClears() {
        FailurePolicy policy = spec.onFailure();
        assertThat(policy.judge(new IOException(), 1)).isEqualTo(Verdict.CLEAR);
        assertThat(policy.judge(new InterruptedException(), 9)).isEqualTo(Verdict.CLEAR);
        assertThat(policy.judge(new OutOfMemoryError(), 9)).isEqualTo(Verdict.CLEAR);
        assertThat(policy.judge(new TerminalException(Failure.of("a", "b")), 1)).isEqualTo(Verdict.TERMINAL);
    }

    @Test
    @DisplayName("keeps failures readable: a code, and a message that is cut")
    void failuresAreShort() {
        assertThatIllegalArgumentException().isThrownBy(() -> Failure.of("", "message"));
        assertThat(Failure.of("code", "x".repeat(10_000)).message())
                .hasSize(2_000)
                .endsWith("…");
        assertThat(Failure.of(new IllegalStateException("broken")))
                .isEqualTo(Failure.of("java.lang.IllegalStateException", "broken"));
    }
}
