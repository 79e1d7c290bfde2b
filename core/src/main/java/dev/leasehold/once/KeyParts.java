package dev.leasehold.once;

import dev.leasehold.store.Key;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Makes keys of text that anybody may have chosen, of any length: different parts never make the same key. */
public final class KeyParts {
    /** The longest that a part may become, in bytes of UTF-8, so that four of them fit into a key. */
    static final int LONGEST = 120;

    private KeyParts() {}

    /**
     * A key of up to four parts.
     *
     * @throws IllegalArgumentException if a part has control characters or is not well-formed, or there are so many
     *     that they do not fit
     */
    public static Key join(String first, String... more) {
        StringBuilder key = new StringBuilder(segment(first));
        for (String part : more) {
            key.append('/').append(segment(part));
        }
        return Key.of(key.toString());
    }

    /** Short parts stay readable. Others stand there as a digest, marked by a tilde with which no short one begins. */
    static String segment(String part) {
        if (part.codePoints().anyMatch(KeyParts::isUnfit)) {
            throw new IllegalArgumentException(
                    "A part of a key must be well-formed text without control characters; this one has " + part.length()
                            + " characters and is not.");
        }
        byte[] utf8 = part.getBytes(StandardCharsets.UTF_8);
        if (utf8.length <= LONGEST) {
            String escaped = Key.of("", part).value().substring(1);
            String marked = escaped.startsWith("~") ? "%7E" + escaped.substring(1) : escaped;
            if (marked.getBytes(StandardCharsets.UTF_8).length <= LONGEST) {
                return marked;
            }
        }
        return "~" + HexFormat.of().formatHex(sha256(utf8));
    }

    static boolean isUnfit(int point) {
        return Character.isISOControl(point) || Character.getType(point) == Character.SURROGATE;
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("Every Java platform has SHA-256.", e);
        }
    }
}
