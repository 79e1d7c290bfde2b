package dev.leasehold.file;

import dev.leasehold.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.util.List;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Text of lines {@code name=value} in a fixed order, with a first line that says what it is and a last one that is a
 * checksum of all before it. People can read it; a program accepts it whole or not at all.
 */
final class StateText {
    private static final String CHECKSUM = "crc32c=";

    private StateText() {}

    static final class Writer {
        private final StringBuilder text = new StringBuilder();

        Writer(String kind) {
            text.append("leasehold ").append(kind).append(" 1\n");
        }

        Writer put(String name, Object value) {
            text.append(name).append('=').append(value).append('\n');
            return this;
        }

        Writer putIfAny(String name, @Nullable Object value) {
            return value == null ? this : put(name, value);
        }

        byte[] toBytes() {
            byte[] body = text.toString().getBytes(StandardCharsets.UTF_8);
            ByteArrayOutputStream out = new ByteArrayOutputStream(body.length + 20);
            out.writeBytes(body);
            out.writeBytes((CHECKSUM + checksum(body) + "\n").getBytes(StandardCharsets.US_ASCII));
            return out.toByteArray();
        }
    }

    /** Takes the lines one by one. Whatever is not as expected is an {@link IllegalArgumentException}. */
    static final class Reader {
        private final List<String> lines;
        private int next;

        Reader(String kind, byte[] bytes) {
            String text = decode(bytes);
            int checked = text.lastIndexOf(CHECKSUM);
            if (checked < 0 || !text.endsWith("\n")) {
                throw new IllegalArgumentException(bytes.length == 0 ? "it is empty" : "it is cut off");
            }
            String body = text.substring(0, checked);
            String found = text.substring(checked + CHECKSUM.length(), text.length() - 1);
            if (!found.equals(checksum(body.getBytes(StandardCharsets.UTF_8)))) {
                throw new IllegalArgumentException("its checksum is wrong");
            }
            lines = List.of(body.split("\n", -1));
            if (!lines.get(0).equals("leasehold " + kind + " 1")) {
                throw new IllegalArgumentException("it does not begin with \"leasehold " + kind + " 1\"");
            }
            next = 1;
        }

        String take(String name) {
            String value = takeIfAny(name);
            if (value == null) {
                throw new IllegalArgumentException("line " + (next + 1) + " should be \"" + name + "=\"");
            }
            return value;
        }

        @Nullable
        String takeIfAny(String name) {
            String line = lines.get(next);
            if (!line.startsWith(name + "=")) {
                return null;
            }
            next++;
            return line.substring(name.length() + 1);
        }

        void end() {
            if (next != lines.size() - 1) {
                throw new IllegalArgumentException("line " + (next + 1) + " is unknown");
            }
        }
    }

    /**
     * What the file says.
     *
     * @param advice what a person should do about a file that cannot be read
     * @throws StoreException if the bytes are not exactly what such a file has
     */
    static <T> T parse(Path file, String kind, byte[] bytes, String advice, Function<Reader, T> parser) {
        try {
            Reader reader = new Reader(kind, bytes);
            T parsed = parser.apply(reader);
            reader.end();
            return parsed;
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException | IndexOutOfBoundsException e) {
            throw new StoreException("Cannot read " + file + ": " + e.getMessage() + ". " + advice, e);
        }
    }

    private static String decode(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("it is not text", e);
        }
    }

    private static String checksum(byte[] bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, bytes.length);
        return Long.toHexString(sum.getValue());
    }
}
