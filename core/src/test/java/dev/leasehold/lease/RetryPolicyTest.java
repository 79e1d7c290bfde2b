package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryPolicyTest {
    private static final Duration HALF_SECOND = Duration.ofMillis(500);

    @Test
    @Tag("part-of:LOCK-2")
    @DisplayName("The default waits 0.5, 1, 2 and 4 s, and makes five attempts")
    void defaultIsTheDocumentedOne() {
        assertThat(RetryPolicy.DEFAULT.maxAttempts()).isEqualTo(5);
        assertThat(IntStream.rangeClosed(1, 4).mapToObj(RetryPolicy.DEFAULT::delayAfter))
                .containsExactly(HALF_SECOND, Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));
    }

    @Test
    @Tag("part-of:LOCK-2")
    @DisplayName("No delay is longer than the longest, however many attempts there were")
    void delayNeverExceedsTheLongest() {
        assertThat(RetryPolicy.DEFAULT.delayAfter(5)).isEqualTo(Duration.ofSeconds(4));
        assertThat(RetryPolicy.DEFAULT.delayAfter(Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    @Tag("part-of:LOCK-2")
    @DisplayName("Every number is a setting")
    void everyNumberIsASetting() {
        RetryPolicy policy = new RetryPolicy(Duration.ofMillis(10), 3, Duration.ofMillis(50), 7);
        assertThat(policy.maxAttempts()).isEqualTo(7);
        assertThat(IntStream.rangeClosed(1, 3).mapToObj(policy::delayAfter))
                .containsExactly(Duration.ofMillis(10), Duration.ofMillis(30), Duration.ofMillis(50));
    }

    @ParameterizedTest(name = "Any subset of the numbers can be set, and the others stay as they are: subset {0}")
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
    void anySubsetCanBeSet(int subset) {
        boolean hasDelay = (subset & 1) != 0;
        boolean hasMultiplier = (subset & 2) != 0;
        boolean hasLongest = (subset & 4) != 0;
        boolean hasAttempts = (subset & 8) != 0;
        Duration longest = Duration.ofMillis(100);
        RetryPolicy policy = RetryPolicy.DEFAULT;
        policy = hasDelay ? policy.withInitialDelay(Duration.ofSeconds(9)) : policy;
        policy = hasMultiplier ? policy.withMultiplier(3) : policy;
        policy = hasLongest ? policy.withMaxDelay(longest) : policy;
        policy = hasAttempts ? policy.withMaxAttempts(2) : policy;
        assertThat(policy)
                .isEqualTo(new RetryPolicy(
                        hasDelay ? Duration.ofSeconds(9) : HALF_SECOND,
                        hasMultiplier ? 3 : 2,
                        hasLongest ? longest : Duration.ofSeconds(4),
                        hasAttempts ? 2 : 5));
        assertThat(IntStream.rangeClosed(1, 9).mapToObj(policy::delayAfter))
                .allMatch(delay -> delay.compareTo(hasLongest ? longest : Duration.ofSeconds(4)) <= 0);
    }

    @Test
    @DisplayName("A delay of zero and a constant delay are allowed")
    void zeroAndConstantDelaysAreAllowed() {
        assertThat(new RetryPolicy(Duration.ZERO, 2, Duration.ZERO, 1).delayAfter(9))
                .isZero();
        assertThat(new RetryPolicy(HALF_SECOND, 1, HALF_SECOND, 1).delayAfter(9))
                .isEqualTo(HALF_SECOND);
    }

    @Test
    @DisplayName("Numbers that make no sense are refused, by name")
    void senselessNumbersAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryPolicy(HALF_SECOND.negated(), 2, HALF_SECOND, 5))
                .withMessageContaining("initialDelay");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryPolicy(HALF_SECOND, 2, HALF_SECOND.negated(), 5))
                .withMessageContaining("maxDelay");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryPolicy(HALF_SECOND, 0.9, HALF_SECOND, 5))
                .withMessageContaining("multiplier");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryPolicy(HALF_SECOND, Double.NaN, HALF_SECOND, 5))
                .withMessageContaining("multiplier");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryPolicy(HALF_SECOND, 2, HALF_SECOND, 0))
                .withMessageContaining("attempt");
    }
}
