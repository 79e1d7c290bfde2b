package dev.leasehold.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What users may say of lanes")
class LaneSettingsTest {
    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT0.099S", "PT-5S", "P30D"})
    @DisplayName("is no limit for calls that drivers cannot keep")
    void badLimit(Duration limit) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> Lanes.checkLimit(limit))
                .withMessageContaining(limit.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.1S", "PT5S", "P1D"})
    @DisplayName("is a limit from 100 ms to a day")
    void goodLimit(Duration limit) {
        assertThat(Lanes.checkLimit(limit)).isEqualTo(limit);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    @DisplayName("is not that there are none")
    void none(int most) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> Lanes.checkMost(most))
                .withMessageContaining("not " + most);
        assertThat(Lanes.checkMost(1)).isOne();
    }
}
