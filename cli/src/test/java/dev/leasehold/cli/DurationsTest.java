package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.Micros;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

@DisplayName("Times on the command line")
class DurationsTest {
    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource({"300, PT5M", "0, PT0S", "5m, PT5M", "1h30m, PT1H30M", "250ms, PT0.25S", "2d, PT48H", "PT5M, PT5M"})
    void readsWhatPeopleWrite(String text, Duration meant) {
        assertThat(new Durations().convert(text)).isEqualTo(meant);
    }

    @Test
    void foreverIsForever() {
        assertThat(new Durations().convert("forever")).isEqualTo(Micros.FOREVER);
    }

    @ParameterizedTest(name = "\"{0}\" is refused")
    @ValueSource(strings = {"", "5 minutes", "-3", "PT-5S", "m5", "1.5h", "99999999999"})
    void whatIsNoTimeIsRefusedWithExamples(String text) {
        assertThatExceptionOfType(TypeConversionException.class)
                .isThrownBy(() -> new Durations().convert(text))
                .withMessageContaining("1h30m");
    }

    @ParameterizedTest(name = "{0} is written {1}")
    @CsvSource({"PT0.25S, 0.3s", "PT59S, 59s", "PT3M11S, 3m11s", "PT2H5M, 2h5m", "PT50H, 2d2h"})
    void writesTheTwoLargestUnits(Duration time, String text) {
        assertThat(Durations.text(time)).isEqualTo(text);
    }
}
