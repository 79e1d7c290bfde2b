package dev.leasehold.once;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.Array;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes a value down in the only way there is, version 1: a letter for its kind, then its contents behind their length,
 * so that no two values are written alike. Changing anything here changes every fingerprint: that takes a new version.
 */
final class Canonical {
    private static final int DEEPEST = 100;

    /** With so many digits, every double has a decimal of its own. */
    private static final int LONGEST_FRACTION = 17;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private int depth;

    byte[] toBytes() {
        return bytes.toByteArray();
    }

    void raw(byte[] content) {
        piece('x', content);
    }

    void value(@Nullable Object value) {
        if (++depth > DEEPEST) {
            throw new IllegalArgumentException("A request is nested at most " + DEEPEST + " deep.");
        }
        if (value == null) {
            bytes.write('0');
        } else if (value instanceof Boolean truth) {
            bytes.write(truth ? 't' : 'f');
        } else if (value instanceof CharSequence || value instanceof Character) {
            piece('s', utf8(value.toString()));
        } else if (value instanceof Enum<?> constant) {
            piece('s', utf8(constant.name()));
        } else if (value instanceof Number number) {
            piece('n', number(number).getBytes(StandardCharsets.US_ASCII));
        } else if (value instanceof byte[] content) {
            piece('b', content);
        } else if (value instanceof List<?> list) {
            list(list.toArray());
        } else if (value.getClass().isArray()) {
            list(value);
        } else if (value instanceof FingerprintBuilder builder) {
            members(builder.members());
        } else if (value instanceof Map<?, ?> map) {
            members(map);
        } else if (value instanceof Record tuple) {
            members(components(tuple));
        } else {
            throw new IllegalArgumentException(
                    "A fingerprint cannot be taken of " + value.getClass().getName()
                            + ": give a string, number, boolean, byte array, list, map, record or enum.");
        }
        depth--;
    }

    private void list(Object array) {
        int length = Array.getLength(array);
        head('l', length);
        for (int i = 0; i < length; i++) {
            value(Array.get(array, i));
        }
    }

    private void members(Map<?, ?> map) {
        // By name in its one Unicode form; the order of UTF-16 units is as good as any, as long as it is always the
        // same.
        TreeMap<String, Object[]> sorted = new TreeMap<>();
        map.forEach((name, value) -> {
            if (!(name instanceof String text)) {
                throw new IllegalArgumentException("A map in a request must have strings as keys, not " + name + ".");
            }
            if (sorted.put(nfc(text), new Object[] {value}) != null) {
                throw new IllegalArgumentException("There are two members '" + text + "'.");
            }
        });
        head('m', sorted.size());
        sorted.forEach((name, value) -> {
            piece('s', utf8(name));
            value(value[0]);
        });
    }

    private static Map<String, @Nullable Object> components(Record tuple) {
        Map<String, @Nullable Object> members = new HashMap<>();
        for (RecordComponent component : tuple.getClass().getRecordComponents()) {
            try {
                component.getAccessor().setAccessible(true);
                members.put(component.getName(), component.getAccessor().invoke(tuple));
            } catch (ReflectiveOperationException | RuntimeException e) {
                throw new IllegalArgumentException(
                        "The member '" + component.getName() + "' of "
                                + tuple.getClass().getName() + " cannot be read: give a map instead.",
                        e);
            }
        }
        return members;
    }

    private static String number(Number number) {
        BigDecimal exact;
        if (number instanceof BigDecimal decimal) {
            exact = decimal;
        } else if (number instanceof BigInteger integer) {
            exact = new BigDecimal(integer);
        } else if (number instanceof Double || number instanceof Float) {
            if (!Double.isFinite(number.doubleValue())) {
                throw new IllegalArgumentException("A request cannot have the number " + number + ".");
            }
            exact = shortestDecimal(number);
        } else if (number instanceof Long
                || number instanceof Integer
                || number instanceof Short
                || number instanceof Byte) {
            exact = BigDecimal.valueOf(number.longValue());
        } else {
            throw new IllegalArgumentException(
                    "A fingerprint cannot be taken of " + number.getClass().getName() + ".");
        }
        BigDecimal shortest = exact.stripTrailingZeros();
        return shortest.unscaledValue() + "e" + -(long) shortest.scale();
    }

    /**
     * The shortest decimal that is read back as this binary fraction, and of several the closest: 0.1f is 0.1, as in
     * JSON. {@link Double#toString} is not asked, because what it writes depends on the JDK.
     */
    private static BigDecimal shortestDecimal(Number fraction) {
        BigDecimal exact = new BigDecimal(fraction.doubleValue());
        for (int digits = 1; digits < LONGEST_FRACTION; digits++) {
            // Below a power of two the next fraction is closer, and the closest decimal may mean that one.
            for (RoundingMode rounding : List.of(RoundingMode.HALF_EVEN, RoundingMode.UP)) {
                BigDecimal decimal = exact.round(new MathContext(digits, rounding));
                if (isReadAs(fraction, decimal.toString())) {
                    return decimal;
                }
            }
        }
        return exact.round(new MathContext(LONGEST_FRACTION, RoundingMode.HALF_EVEN));
    }

    private static boolean isReadAs(Number fraction, String text) {
        return fraction instanceof Float
                ? Float.parseFloat(text) == fraction.floatValue()
                : Double.parseDouble(text) == fraction.doubleValue();
    }

    private static byte[] utf8(String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(nfc(text)));
            byte[] content = new byte[encoded.remaining()];
            encoded.get(content);
            return content;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("A text in a request is not well-formed Unicode.", e);
        }
    }

    private static String nfc(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFC);
    }

    private void piece(char kind, byte[] content) {
        head(kind, content.length);
        bytes.writeBytes(content);
    }

    private void head(char kind, int length) {
        bytes.write(kind);
        bytes.write(length >>> 24);
        bytes.write(length >>> 16);
        bytes.write(length >>> 8);
        bytes.write(length);
    }
}
