package dev.leasehold.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The progress of a run")
class ProgressTest {
    @ParameterizedTest
    @CsvSource({"0, 0, true", "3, 3, true", "-1, 1, false", "-2147483647, 2147483647, false"})
    @DisplayName("can be kept as one number: the attempts, below zero if the last one is not confirmed")
    void oneNumber(int tally, int attempts, boolean isConfirmed) {
        Progress progress = Progress.ofTally(tally, "print", null, null);
        assertThat(progress).isEqualTo(new Progress(attempts, isConfirmed, "print", null, null));
        assertThat(progress.tally()).isEqualTo(tally);
    }

    @Test
    @DisplayName("has no fewer than no attempts, and one at least if one is not confirmed")
    void refused() {
        assertThatThrownBy(() -> new Progress(-1, true, null, null, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A record cannot have -1 attempts.");
        assertThatThrownBy(() -> new Progress(0, false, null, null, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A record cannot have 0 attempts, the last of them unconfirmed.");
    }
}
