package dev.leasehold.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Moments and spans for people, by this machine's clock and zone. */
final class Times {
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

    /** Longer than any task of people's: what is kept for ever has at least this much left. */
    private static final Duration AGES = Duration.ofDays(18_000);

    private Times() {}

    static String moment(Instant at) {
        return SECONDS.format(at.atZone(ZoneId.systemDefault()));
    }

    static String span(Duration time) {
        return time.compareTo(AGES) > 0 ? Messages.text("time.forever") : Durations.text(time);
    }
}
