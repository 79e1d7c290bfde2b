package dev.leasehold.store;

import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;

/**
 * What is leased: any Unicode text of 1 to {@value #MAX_BYTES} bytes in UTF-8.
 *
 * <p>Two keys are the same only if they are the same text to the code point: case, blanks and Unicode form count. A
 * key has no control characters, no lone surrogates, and no {@code .} or {@code ..} between its slashes, so that it can
 * stand in a URL, a log line or a header unharmed. Keys are ordered by code point, which is the order of their UTF-8
 * bytes and the order in which every store lists them.
 */
public record Key(String value) implements Comparable<Key> {
    /** The longest key, in bytes of UTF-8. */
    public static final int MAX_BYTES = 512;

    public Key {
        Text.check("A key", value, MAX_BYTES);
        for (String segment : value.split("/", -1)) {
            if (segment.equals(".") || segment.equals("..")) {
                throw new IllegalArgumentException("A key must not have '" + segment + "' as a part between slashes: "
                        + Text.quote(value) + ". Use Key.of(first, more...), which escapes it.");
            }
        }
    }

    /**
     * The key with exactly this text. A slash is a character like any other: {@code of("a/b")} and {@code of("a", "b")} are
     * the same key. Text from outside that may hold slashes belongs into {@link #of(String, String, String...)}.
     */
    public static Key of(String value) {
        return new Key(value);
    }

    /**
     * A key of several parts, joined by slashes. Different parts never make the same key: a slash or percent sign
     * inside a part is escaped as in a URL, so {@code of("a", "b/c")} and {@code of("a/b", "c")} differ.
     */
    public static Key of(String first, String second, String... more) {
        StringJoiner joined = new StringJoiner("/").add(escape(first)).add(escape(second));
        for (String part : more) {
            joined.add(escape(part));
        }
        return new Key(joined.toString());
    }

    private static String escape(String part) {
        if (part.equals(".") || part.equals("..")) {
            return part.replace(".", "%2E");
        }
        return part.replace("%", "%25").replace("/", "%2F");
    }

    @Override
    public int compareTo(Key other) {
        return Text.compareByCodePoint(value, other.value);
    }

    /** The key's text in UTF-8: what stores that compare bytes should compare. */
    public byte[] utf8() {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return value;
    }
}
