package dev.leasehold.once;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Turns results into bytes and back. Never sees null: a null result is kept as such.
 *
 * <p>Answers outlive the program that wrote them: a codec must read what its earlier versions wrote for as long as
 * answers are kept. Both methods may be called by many threads at once.
 */
public interface Codec<R> {
    byte[] encode(R value) throws Exception;

    R decode(byte[] bytes) throws Exception;

    /** Bytes as they are. */
    static Codec<byte[]> bytes() {
        return new Codec<>() {
            @Override
            public byte[] encode(byte[] value) {
                return value.clone();
            }

            @Override
            public byte[] decode(byte[] bytes) {
                return bytes;
            }
        };
    }

    /** Text as UTF-8. Text that UTF-8 cannot keep, with lone surrogates, is refused. */
    static Codec<String> utf8() {
        return new Codec<>() {
            @Override
            public byte[] encode(String value) throws CharacterCodingException {
                ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value));
                byte[] encoded = new byte[bytes.remaining()];
                bytes.get(encoded);
                return encoded;
            }

            @Override
            public String decode(byte[] bytes) throws CharacterCodingException {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
            }
        };
    }

    /** For work that gives nothing but null. */
    static Codec<Void> nothing() {
        return new Codec<>() {
            @Override
            public byte[] encode(Void value) {
                throw new IllegalArgumentException("There is no value of type Void.");
            }

            @Override
            public Void decode(byte[] bytes) {
                throw new IllegalArgumentException("The run kept a result, but none is expected.");
            }
        };
    }
}
