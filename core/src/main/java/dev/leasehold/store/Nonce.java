package dev.leasehold.store;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * 128 random bits that name one call to acquire, kept through all its polls and retries.
 *
 * <p>The nonce is what makes asking again harmless: a store that is asked twice with one nonce gives the same lease
 * twice, and a store that is asked with the nonce of a lease that was released gives nothing. It is also what renew,
 * release and settle compare, so treat it as a secret between the holder and the store.
 */
public record Nonce(long high, long low) {
    /** Reads what {@link #toString()} wrote. */
    public static Nonce parse(String text) {
        if (text.length() != 32 || !text.chars().allMatch(c -> Character.digit(c, 16) >= 0 && c < 128)) {
            throw new IllegalArgumentException("A nonce is 32 hexadecimal digits, not " + Text.quote(text) + ".");
        }
        return new Nonce(
                Long.parseUnsignedLong(text.substring(0, 16), 16), Long.parseUnsignedLong(text.substring(16), 16));
    }

    /** A UUID that names the call in logs and events. It is a hash, so it does not give the nonce away. */
    public String name() {
        byte[] bytes =
                ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array();
        return UUID.nameUUIDFromBytes(bytes).toString();
    }

    /** 32 hexadecimal digits. */
    @Override
    public String toString() {
        return hex(high) + hex(low);
    }

    private static String hex(long bits) {
        String digits = Long.toHexString(bits);
        return "0".repeat(16 - digits.length()) + digits;
    }
}
