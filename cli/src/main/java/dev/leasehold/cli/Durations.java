package dev.leasehold.cli;

import dev.leasehold.store.Micros;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Times as people write them: {@code 300}, {@code 5m}, {@code 1h30m}, {@code 250ms}, {@code PT5M}, {@code forever}. */
final class Durations implements ITypeConverter<Duration> {
    private static final Pattern WHOLE = Pattern.compile("\\d{1,9}");
    private static final Pattern PARTS = Pattern.compile("(?:\\d{1,9}(?:ms|[smhd]))+");
    private static final Pattern PART = Pattern.compile("(\\d+)(ms|[smhd])");

    @Override
    public Duration convert(String value) {
        String text = value.strip().toLowerCase(Locale.ROOT);
        if (text.equals("forever")) {
            return Micros.FOREVER;
        }
        if (WHOLE.matcher(text).matches()) {
            return Duration.ofSeconds(Long.parseLong(text));
        }
        if (PARTS.matcher(text).matches()) {
            return sum(text);
        }
        try {
            Duration duration = Duration.parse(text);
            if (!duration.isNegative()) {
                return duration;
            }
        } catch (DateTimeParseException e) {
            // Said below, in words for people.
        }
        throw new TypeConversionException(Messages.text("duration.invalid", Messages.clean(value)));
    }

    private static Duration sum(String text) {
        Duration sum = Duration.ZERO;
        for (Matcher part = PART.matcher(text); part.find(); ) {
            long number = Long.parseLong(part.group(1));
            sum = sum.plus(
                    switch (part.group(2)) {
                        case "ms" -> Duration.ofMillis(number);
                        case "s" -> Duration.ofSeconds(number);
                        case "m" -> Duration.ofMinutes(number);
                        case "h" -> Duration.ofHours(number);
                        default -> Duration.ofDays(number);
                    });
        }
        return sum;
    }

    /** For people: the two largest units, such as {@code 3m11s}; below ten seconds with a decimal. */
    static String text(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds < 10) {
            return String.format(Locale.ROOT, "%.1fs", duration.toMillis() / 1_000.0);
        }
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3_600) {
            return seconds / 60 + "m" + seconds % 60 + "s";
        }
        return seconds < 86_400
                ? seconds / 3_600 + "h" + seconds / 60 % 60 + "m"
                : seconds / 86_400 + "d" + seconds / 3_600 % 24 + "h";
    }
}
