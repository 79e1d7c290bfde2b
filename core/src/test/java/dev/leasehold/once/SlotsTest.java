package dev.leasehold.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.Key;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Slots")
class SlotsTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final Key JOB = Key.of("nightly");

    private static Slots.Slot day(String moment) {
        return Slots.daily(BERLIN).slotOf(Instant.parse(moment));
    }

    @Test
    @DisplayName("are the same for all moments of a day, and others for the next")
    void days() {
        Slots.Slot first = day("2026-01-14T23:00:00Z");

        assertThat(first.label()).isEqualTo("2026-01-15");
        assertThat(day("2026-01-15T22:59:59.999Z")).isEqualTo(first);
        assertThat(day("2026-01-15T23:00:00Z").start()).isEqualTo(first.end());
    }

    @ParameterizedTest(name = "have a day of {1} hours on {0}")
    @CsvSource({"2026-03-29T10:00:00Z, 23", "2026-10-25T10:00:00Z, 25", "2026-06-01T10:00:00Z, 24"})
    void daysWhenClocksChange(String moment, int hours) {
        Slots.Slot slot = day(moment);

        assertThat(Duration.between(slot.start(), slot.end())).hasHours(hours);
    }

    @Test
    @DisplayName("have an hour for each of the two that a clock shows twice")
    void hoursWhenClocksChange() {
        Slots.Slot first = Slots.hourly().slotOf(Instant.parse("2026-10-25T00:30:00Z"));
        Slots.Slot second = Slots.hourly().slotOf(Instant.parse("2026-10-25T01:30:00Z"));

        assertThat(first.keyOf(JOB)).isNotEqualTo(second.keyOf(JOB));
    }

    @Test
    @DisplayName("begin a day without midnight at its first moment")
    void dayWithoutMidnight() {
        Slots.Slot slot = Slots.daily(ZoneId.of("America/Sao_Paulo")).slotOf(Instant.parse("2018-11-04T12:00:00Z"));

        assertThat(slot.start()).isEqualTo("2018-11-04T03:00:00Z");
        assertThat(slot.end()).isEqualTo("2018-11-05T02:00:00Z");
    }

    @Test
    @DisplayName("follow each other without gap or overlap")
    void noGaps() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (Slots slots : List.of(
                Slots.daily(BERLIN),
                Slots.hourly(),
                Slots.every(Duration.ofMinutes(7)),
                Slots.every(Duration.ofMillis(1_500), Instant.ofEpochMilli(-123)))) {
            for (int i = 0; i < 500; i++) {
                Instant moment = Instant.ofEpochMilli(random.nextLong(-4_000_000_000_000L, 4_000_000_000_000L));
                Slots.Slot slot = slots.slotOf(moment);
                assertThat(moment)
                        .as("seed %d", seed)
                        .isBetween(slot.start(), slot.end().minusNanos(1));
                assertThat(slots.slotOf(slot.start())).isEqualTo(slot);
                assertThat(slots.slotOf(slot.end()).start()).isEqualTo(slot.end());
                assertThat(slots.slotOf(slot.end().minusNanos(1))).isEqualTo(slot);
            }
        }
    }

    @Test
    @DisplayName("of a length begin at their anchor")
    void anchored() {
        Instant anchor = Instant.parse("2026-01-01T00:05:00Z");
        Slots.Slot slot = Slots.every(Duration.ofMinutes(15), anchor).slotOf(Instant.parse("2026-01-01T00:19:59Z"));

        assertThat(slot.start()).isEqualTo(anchor);
        assertThat(Slots.every(Duration.ofMinutes(15), anchor.plus(Duration.ofHours(3))))
                .isEqualTo(Slots.every(Duration.ofMinutes(15), anchor));
    }

    @Test
    @DisplayName("give keys that tell the kind of slot, so that different kinds never meet")
    void keys() {
        Instant moment = Instant.parse("2026-01-15T00:00:00Z");

        assertThat(Slots.daily(BERLIN).slotOf(moment).keyOf(JOB))
                .isEqualTo(Key.of("nightly/daily Europe%2FBerlin/2026-01-15"));
        assertThat(List.of(
                        Slots.daily(BERLIN).slotOf(moment).keyOf(JOB),
                        Slots.daily(ZoneOffset.UTC).slotOf(moment).keyOf(JOB),
                        Slots.hourly().slotOf(moment).keyOf(JOB),
                        Slots.every(Duration.ofDays(1)).slotOf(moment).keyOf(JOB),
                        Slots.every(Duration.ofMinutes(15)).slotOf(moment).keyOf(JOB),
                        Slots.every(Duration.ofMinutes(15)).slotOf(moment).keyOf(Key.of("other"))))
                .doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("say how long an answer must be kept: beyond the end of the slot")
    void retention() {
        Slots.Slot slot = Slots.hourly().slotOf(Instant.parse("2026-01-15T10:00:00Z"));

        assertThat(slot.retentionFrom(Instant.parse("2026-01-15T10:20:00Z"))).isEqualTo(Duration.ofMinutes(100));
        assertThat(slot.retentionFrom(Instant.parse("2026-01-15T12:00:00Z"))).isEqualTo(Duration.ofHours(1));
    }

    @ParameterizedTest
    @CsvSource({"PT0S", "PT-1S", "PT0.0005S", "PT1.0000001S"})
    @DisplayName("last whole milliseconds")
    void badLengths(Duration length) {
        assertThatThrownBy(() -> Slots.every(length)).isInstanceOf(IllegalArgumentException.class);
    }
}
