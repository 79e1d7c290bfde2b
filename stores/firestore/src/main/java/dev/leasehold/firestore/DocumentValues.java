package dev.leasehold.firestore;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Blob;
import com.google.cloud.firestore.DocumentReference;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of {@link dev.leasehold.store.Fields} as Firestore's client knows them, and back. */
final class DocumentValues {
    private DocumentValues() {}

    static @Nullable Object toFirestore(@Nullable Object value) {
        if (value instanceof Instant instant) {
            // Firestore keeps microseconds.
            return Timestamp.ofTimeSecondsAndNanos(instant.getEpochSecond(), instant.getNano() / 1_000 * 1_000);
        }
        if (value instanceof byte[] bytes) {
            return Blob.fromBytes(bytes);
        }
        if (value instanceof String text) {
            return text(text);
        }
        if (value instanceof BigDecimal decimal) {
            return number(decimal);
        }
        if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).longValue();
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> converted = new ArrayList<>();
            list.forEach(element -> converted.add(toFirestore(element)));
            return converted;
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> converted = new LinkedHashMap<>();
            map.forEach((name, element) -> converted.put(text(String.valueOf(name)), toFirestore(element)));
            return converted;
        }
        return value;
    }

    /** Half a character cannot be sent as UTF-8. Google's client would write a question mark in its place. */
    private static String text(String text) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IllegalArgumentException(
                    "Firestore keeps Unicode, and this text has half of a character: one surrogate without the other.");
        }
        return text;
    }

    /** Firestore has no decimals. One that it cannot keep to the digit is refused rather than rounded. */
    private static Object number(BigDecimal decimal) {
        try {
            return decimal.longValueExact();
        } catch (ArithmeticException e) {
            double nearest = decimal.doubleValue();
            if (Double.isFinite(nearest) && new BigDecimal(Double.toString(nearest)).compareTo(decimal) == 0) {
                return nearest;
            }
            throw new IllegalArgumentException(
                    "Firestore cannot keep the number " + decimal + " to the digit. Write it as text.", e);
        }
    }

    /** A value that {@link dev.leasehold.store.Fields} has no type for, such as a reference, becomes text. */
    static @Nullable Object fromFirestore(@Nullable Object value) {
        if (value == null
                || value instanceof Boolean
                || value instanceof Long
                || value instanceof Double
                || value instanceof String) {
            return value;
        }
        if (value instanceof Timestamp time) {
            return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
        }
        if (value instanceof Blob blob) {
            return blob.toBytes();
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> converted = new ArrayList<>();
            list.forEach(element -> converted.add(fromFirestore(element)));
            return converted;
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> converted = new LinkedHashMap<>();
            map.forEach((name, element) -> converted.put(String.valueOf(name), fromFirestore(element)));
            return converted;
        }
        if (value instanceof DocumentReference reference) {
            return reference.getPath();
        }
        return value.toString();
    }
}
