package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LeaseExceptionTest {
    private static final Key KEY = Key.of("report");

    @Test
    @Tag("part-of:LOCK-8")
    @DisplayName("There are five codes, by the names that other languages know")
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
    @Tag("part-of:LOCK-8")
    @DisplayName("Unsupported and unavailable are not retryable; what passes by itself is")
    void codesSayWhetherTryingAgainHelps() {
        assertThat(Arrays.stream(LeaseException.Code.values())
                        .filter(code -> !of(code).isRetryable())
                        .map(LeaseException.Code::toString))
                .containsExactlyInAnyOrder("web-lock-unsupported", "lock-unavailable");
    }

    @Test
    @Tag("part-of:LOCK-8")
    @DisplayName("An error has its code, key, message and cause")
    void errorsCarryEverything() {
        IllegalStateException cause = new IllegalStateException("disk on fire");
        LeaseException error = new LeaseException(LeaseException.Code.TIMEOUT, KEY, "No answer.", cause);
        assertThat(error).hasMessage("No answer.").hasCause(cause);
        assertThat(error.code()).isEqualTo(LeaseException.Code.TIMEOUT);
        assertThat(error.key()).isEqualTo(KEY);
    }

    @Test
    @DisplayName("A lost lease is a failed renewal: acquiring anew may help")
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
