package dev.leasehold.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes kept on a record: the result of a settled run, or the checkpoint of one under way. Immutable. */
public final class Payload {
    private final byte[] bytes;

    private Payload(byte[] bytes) {
        this.bytes = bytes;
    }

    public static Payload of(byte[] bytes) {
        return new Payload(bytes.clone());
    }

    public static Payload of(String text) {
        return new Payload(text.getBytes(StandardCharsets.UTF_8));
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    public int size() {
        return bytes.length;
    }

    /** The bytes read as UTF-8. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Payload that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Names the size only: results may be secret and must not reach logs by accident. */
    @Override
    public String toString() {
        return bytes.length + " bytes";
    }
}
