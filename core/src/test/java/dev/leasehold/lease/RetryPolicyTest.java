package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
    private static final Duration HALF_SECOND = Duration.ofMillis(500);

    @Test
    @DisplayName("L2 The default waits 0.5, 1, 2 and 4 s, and makes five attempts")
    void defaultIsTheDocumentedOne() {
        assertThat(RetryPolicy.DEFAULT.maxAttempts()).isEqualTo(5);
        assertThat(IntStream.rangeClosed(1, 4).mapToObj(RetryPolicy.DEFAULT::delayAfter))
                .containsExactly(HALF_SECOND, Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));
    }

    @Test
    @DisplayName("L2 No delay is longer than the longest, however many attempts there were")
    void delayNeverExceedsTheLongest() {
        assertThat(RetryPolicy.DEFAULT.delayAfter(5)).isEqualTo(Duration.ofSeconds(4));
        assertThat(RetryPolicy.DEFAULT.delayAfter(Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    @DisplayName("L2 Every number is a setting")
    void everyNumberIsASetting() {
        RetryPolicy policy = new RetryPolicy(Duration.ofMillis(10), 3, Duration.ofMillis(50), 7);
        assertThat(policy.maxAttempts()).isEqualTo(7);
        assertThat(IntStream.rangeClosed(1, 3).mapToObj(policy::delayAfter))
                .containsExactly(Duration.ofMillis(10), Duration.ofMillis(30), Duration.ofMillis(50));
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
                .isThrownBy(() -> new RetryPolicy(HALF_SECOND, 2, Duration.ofMillis(499), 5))
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
