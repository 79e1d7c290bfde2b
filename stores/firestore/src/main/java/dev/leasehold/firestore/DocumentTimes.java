package dev.leasehold.firestore;

import com.google.cloud.Timestamp;
import dev.leasehold.store.StoreException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Times in the user's documents: written as text in UTC with exactly three digits, so that texts sort as the times do, or
 * as Firestore's timestamps; read from either, with any offset and fraction.
 */
final class DocumentTimes {
    private static final DateTimeFormatter TEXT = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final long MILLI = 1_000;

    private final boolean hasTimestamps;

    DocumentTimes(boolean hasTimestamps) {
        this.hasTimestamps = hasTimestamps;
    }

    /** As late as the field can say without being earlier. */
    long ceiled(long micros) {
        return hasTimestamps ? micros : -Math.floorDiv(-micros, MILLI) * MILLI;
    }

    Object written(long micros) {
        return hasTimestamps ? ReadTime.timestamp(micros) : TEXT.format(ReadTime.instant(micros));
    }

    /**
     * Microseconds since 1970; null if there is no value.
     *
     * @throws StoreException if the value is no time
     */
    static @Nullable Long read(@Nullable Object value, String field, String document) {
        if (value == null) {
            return null;
        }
        if (value instanceof Timestamp time) {
            return ReadTime.micros(time);
        }
        if (value instanceof String text) {
            try {
                Instant instant = OffsetDateTime.parse(text).toInstant();
                return Math.addExact(
                        Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000);
            } catch (DateTimeException | ArithmeticException e) {
                throw unreadable(field, document, e);
            }
        }
        throw unreadable(field, document, null);
    }

    private static StoreException unreadable(String field, String document, @Nullable Exception cause) {
        return new StoreException(
                "The field " + field + " of the document " + document
                        + " holds something that cannot be read as a time."
                        + " Expected: text with an offset, like 2026-01-31T18:05:17.123Z, or a timestamp. The document"
                        + " cannot be leased until it is corrected or removed.",
                cause);
    }
}
