package dev.leasehold.once;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Identifies the request behind a run, so that one key cannot be used for two different requests.
 *
 * <p>It is a digest of what the request says and not of how it is written: the order of members does not matter, 1 and
 * 1.0 are the same number, text is compared in Unicode's form NFC, a map is the same as a record with the same members.
 * A member that is null differs from one that is absent. The text form names its version and algorithm, as in
 * {@code 1:sha256:…}; what is the same in one version stays the same.
 */
public final class Fingerprint {
    private static final String PREFIX = "1:sha256:";
    private static final Fingerprint NONE = new Fingerprint(null);

    private final @Nullable String text;

    private Fingerprint(@Nullable String text) {
        this.text = text;
    }

    /** Of no request in particular: matches every other. */
    public static Fingerprint none() {
        return NONE;
    }

    /** Of bytes that are the same for the same request, such as a body that clients repeat byte for byte. */
    public static Fingerprint ofBytes(byte[] bytes) {
        return digest(canonical -> canonical.raw(bytes));
    }

    /**
     * Of a value: a string, number, boolean, null, byte array, list or array of values, map with string keys, record, or
     * enum.
     *
     * @throws IllegalArgumentException for anything else, such as a set, whose order is not defined
     */
    public static Fingerprint of(@Nullable Object value) {
        return digest(canonical -> canonical.value(value));
    }

    /** Starts with no members. */
    public static FingerprintBuilder builder() {
        return new FingerprintBuilder();
    }

    /** What is hashed, written down in only one way. */
    private interface Source {
        void writeTo(Canonical canonical);
    }

    private static Fingerprint digest(Source source) {
        Canonical canonical = new Canonical();
        source.writeTo(canonical);
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(canonical.toBytes());
            StringBuilder hex = new StringBuilder(PREFIX);
            for (byte b : hash) {
                hex.append(Character.forDigit((b >> 4) & 15, 16)).append(Character.forDigit(b & 15, 16));
            }
            return new Fingerprint(hex.toString());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }

    /** As it is kept in the record; {@code null} if there is none. */
    @Nullable
    String text() {
        return text;
    }

    boolean contradicts(@Nullable String recorded) {
        return text != null && recorded != null && !text.equals(recorded);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Fingerprint that && Objects.equals(text, that.text);
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(text);
    }

    /** The text form, or {@code none}. */
    @Override
    public String toString() {
        return text == null ? "none" : text;
    }
}
