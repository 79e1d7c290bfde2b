package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LeaseExceptionTest {
    private static final Key KEY = Key.of("report");

    @Test
    @DisplayName("L8 There are five codes, by the names that other languages know")
    void codesHaveTheirNames() {
        assertThat(Arrays.stream(LeaseException.Code.values()).map(LeaseException.Code::toString))
                .containsExactlyInAnyOrder(
                        "web-lock-unsupported",
                        "lock-timeout",
                        "lock-unavailable",
                        "lock-renewal-failed",
                        "lock-release-failed");
    }

    @Test
    @DisplayName("L8 Unsupported and unavailable are not retryable; what passes by itself is")
    void codesSayWhetherTryingAgainHelps() {
        assertThat(Arrays.stream(LeaseException.Code.values())
                        .filter(code -> !of(code).isRetryable())
                        .map(LeaseException.Code::toString))
                .containsExactlyInAnyOrder("web-lock-unsupported", "lock-unavailable");
    }

    @Test
    @DisplayName("L8 An error has its code, key, message and cause")
    void errorsCarryEverything() {
        IllegalStateException cause = new IllegalStateException("disk on fire");
        LeaseException error = new LeaseException(LeaseException.Code.TIMEOUT, KEY, "No answer.", cause);
        assertThat(error).hasMessage("No answer.").hasCause(cause);
        assertThat(error.code()).isEqualTo(LeaseException.Code.TIMEOUT);
        assertThat(error.key()).isEqualTo(KEY);
    }

    @Test
    @DisplayName("L8 A lost lease is a failed renewal: acquiring anew may help")
    void lossIsAFailedRenewal() {
        LeaseLostException lost = new LeaseLostException(KEY, "gone");
        assertThat(lost.code()).isEqualTo(LeaseException.Code.RENEWAL_FAILED);
        assertThat(lost.isRetryable()).isTrue();
        assertThat(lost).hasNoCause();
    }

    private static LeaseException of(LeaseException.Code code) {
        return new LeaseException(code, KEY, "message", null);
    }
}
