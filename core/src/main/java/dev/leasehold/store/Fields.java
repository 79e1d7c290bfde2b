package dev.leasehold.store;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Named values of a user's own record: the columns of a row, or the fields of a document. Immutable; keeps the order in
 * which the names were added.
 *
 * <p>A value is null, {@link Boolean}, {@link Long}, {@link Double}, {@link BigDecimal}, {@link String}, {@link Instant} or
 * an array of bytes; in documents also a {@link List} or {@link Map} of such values. Narrower numbers are widened: an
 * {@link Integer} becomes a {@link Long}, a {@link Float} a {@link Double}.
 */
public final class Fields {
    /** No field at all. */
    public static final Fields NONE = new Fields(Map.of());

    private final Map<String, @Nullable Object> values;

    private Fields(Map<String, ? extends @Nullable Object> values) {
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** One field. */
    public static Fields of(String name, @Nullable Object value) {
        return NONE.and(name, value);
    }

    /** The fields of a map, in its order. */
    public static Fields of(Map<String, ? extends @Nullable Object> values) {
        Map<String, @Nullable Object> checked = new LinkedHashMap<>();
        values.forEach((name, value) -> checked.put(checkName(name), checked(name, value)));
        return new Fields(checked);
    }

    /**
     * These fields and one more. A field of the same name is replaced.
     *
     * @throws IllegalArgumentException if the name is empty, or the value has a type that no record can keep
     */
    public Fields and(String name, @Nullable Object value) {
        Map<String, @Nullable Object> more = new LinkedHashMap<>(values);
        more.put(checkName(name), checked(name, value));
        return new Fields(more);
    }

    private static String checkName(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("A field needs a name.");
        }
        return name;
    }

    private static @Nullable Object checked(String name, @Nullable Object value) {
        if (value == null
                || value instanceof Boolean
                || value instanceof Long
                || value instanceof Double
                || value instanceof BigDecimal
                || value instanceof String
                || value instanceof Instant) {
            return value;
        }
        if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).longValue();
        }
        if (value instanceof Float number) {
            return number.doubleValue();
        }
        if (value instanceof byte[] bytes) {
            return bytes.clone();
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> copy = new ArrayList<>();
            list.forEach(element -> copy.add(checked(name, element)));
            return Collections.unmodifiableList(copy);
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> copy = new LinkedHashMap<>();
            map.forEach((inner, element) -> copy.put(checkInner(name, inner), checked(name, element)));
            return Collections.unmodifiableMap(copy);
        }
        throw new IllegalArgumentException("The field \"" + name + "\" is a "
                + value.getClass().getName()
                + ". A record keeps text, numbers, true and false, Instant, byte[], and in documents List and Map.");
    }

    private static String checkInner(String name, @Nullable Object inner) {
        if (inner instanceof String text) {
            return checkName(text);
        }
        throw new IllegalArgumentException("The map in the field \"" + name + "\" has a key of type "
                + (inner == null ? "null" : inner.getClass().getName()) + ". A record keeps maps whose keys are text.");
    }

    /** The names, in order. */
    public Set<String> names() {
        return values.keySet();
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** The value as it is; null if there is no such field. */
    public @Nullable Object value(String name) {
        return copied(values.get(name));
    }

    /** Copies arrays at any depth: they are the only mutable part of a value. */
    private static @Nullable Object copied(@Nullable Object value) {
        if (value instanceof byte[] bytes) {
            return bytes.clone();
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> copy = new ArrayList<>();
            list.forEach(element -> copy.add(copied(element)));
            return Collections.unmodifiableList(copy);
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, @Nullable Object> copy = new LinkedHashMap<>();
            map.forEach((name, element) -> copy.put(name, copied(element)));
            return Collections.unmodifiableMap(copy);
        }
        return value;
    }

    /**
     * The text; null if the field is absent or null.
     *
     * @throws IllegalArgumentException if the value has another type
     */
    public @Nullable String text(String name) {
        return value(name, String.class, "text");
    }

    /**
     * The whole number; null if the field is absent or null.
     *
     * @throws IllegalArgumentException if the value has another type, or is no whole number of 64 bits
     */
    public @Nullable Long number(String name) {
        Object value = values.get(name);
        if (value instanceof BigDecimal decimal) {
            try {
                return decimal.longValueExact();
            } catch (ArithmeticException e) {
                throw new IllegalArgumentException("The field \"" + name + "\" is not a whole number of 64 bits.", e);
            }
        }
        return value(name, Long.class, "a whole number");
    }

    /**
     * The number, with nothing rounded; null if the field is absent or null. A {@link Double} gives the shortest decimal
     * number that stands for it, as its text does: 0.1 gives 0.1.
     *
     * @throws IllegalArgumentException if the value has another type, or is infinite or not a number
     */
    public @Nullable BigDecimal decimal(String name) {
        Object value = values.get(name);
        if (value instanceof Long number) {
            return BigDecimal.valueOf(number);
        }
        if (value instanceof Double number) {
            if (!Double.isFinite(number)) {
                throw new IllegalArgumentException(
                        "The field \"" + name + "\" is " + number + ", not a decimal number.");
            }
            return BigDecimal.valueOf(number);
        }
        return value(name, BigDecimal.class, "a number");
    }

    /**
     * The number, rounded to the nearest {@link Double} if it is a {@link Long} or a {@link BigDecimal}; null if the field
     * is absent or null.
     *
     * @throws IllegalArgumentException if the value has another type
     */
    public @Nullable Double floating(String name) {
        Object value = values.get(name);
        return value instanceof Long || value instanceof BigDecimal
                ? Double.valueOf(((Number) value).doubleValue())
                : value(name, Double.class, "a number");
    }

    /**
     * True or false; null if the field is absent or null.
     *
     * @throws IllegalArgumentException if the value has another type
     */
    public @Nullable Boolean flag(String name) {
        return value(name, Boolean.class, "true or false");
    }

    /**
     * The moment; null if the field is absent or null.
     *
     * @throws IllegalArgumentException if the value has another type
     */
    public @Nullable Instant instant(String name) {
        return value(name, Instant.class, "a time");
    }

    /**
     * The bytes; null if the field is absent or null.
     *
     * @throws IllegalArgumentException if the value has another type
     */
    public byte @Nullable [] bytes(String name) {
        byte[] bytes = value(name, byte[].class, "bytes");
        return bytes == null ? null : bytes.clone();
    }

    private <T> @Nullable T value(String name, Class<T> type, String what) {
        Object value = values.get(name);
        if (value != null && !type.isInstance(value)) {
            throw new IllegalArgumentException(
                    "The field \"" + name + "\" is a " + value.getClass().getSimpleName() + ", not " + what + ".");
        }
        return type.cast(value);
    }

    private static @Nullable Object comparable(@Nullable Object value) {
        if (value instanceof byte[] bytes) {
            return ByteBuffer.wrap(bytes);
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.stripTrailingZeros();
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> copy = new ArrayList<>();
            list.forEach(element -> copy.add(comparable(element)));
            return copy;
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, @Nullable Object> copy = new LinkedHashMap<>();
            map.forEach((name, element) -> copy.put(name, comparable(element)));
            return copy;
        }
        return value;
    }

    /** Returns whether the names and values are the same, in any order. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Fields fields && Objects.equals(comparable(values), comparable(fields.values));
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(comparable(values));
    }

    /** The names alone: values are the user's, and may be secret. */
    @Override
    public String toString() {
        return "fields " + values.keySet();
    }
}
