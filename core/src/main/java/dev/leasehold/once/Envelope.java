package dev.leasehold.once;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Predecessor;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run keeps in its record's payload: the last attempts, and an answer or checkpoint.
 *
 * <p>The bytes begin with {@code LH} and a version. Version 1: the number of attempts, the attempts, the kind of the
 * body, the body to the end. Numbers are big-endian; text is UTF-8 behind its length, which is −1 for none.
 */
record Envelope(List<Attempt> history, Body body) {
    static final Envelope EMPTY = new Envelope(List.of(), new Body.Nothing());

    static final int MOST_ATTEMPTS = 16;
    private static final byte[] MAGIC = {'L', 'H'};
    private static final byte VERSION = 1;

    /** What the run says. */
    sealed interface Body {
        /** No result, or a result of null. */
        record Nothing() implements Body {}

        /** The bytes of a result or of a checkpoint. */
        record Bytes(Payload payload) implements Body {}

        record Failed(Failure failure) implements Body {}

        /** Why it is on hold, cut to {@link ErrorText#MAX_LENGTH}. */
        record Reason(String text) implements Body {
            public Reason {
                text = ErrorText.cut(text, ErrorText.MAX_LENGTH);
            }
        }
    }

    Envelope {
        history = List.copyOf(
                history.size() > MOST_ATTEMPTS
                        ? history.subList(history.size() - MOST_ATTEMPTS, history.size())
                        : history);
    }

    Envelope with(Body other) {
        return new Envelope(history, other);
    }

    Envelope with(Attempt attempt) {
        List<Attempt> longer = new ArrayList<>(history);
        longer.add(attempt);
        return new Envelope(longer, body);
    }

    /**
     * The same with what is known of a runner that was taken over, unless it had told its end itself. There was none if
     * no attempt was made: the key was a lock before, and handed over to a caller that died.
     */
    Envelope withSilent(@Nullable Predecessor predecessor, int number) {
        boolean isKnown = predecessor == null
                || number == 0
                || history.stream().anyMatch(attempt -> attempt.fence().equals(predecessor.fence()));
        return isKnown || predecessor == null
                ? this
                : with(new Attempt(
                        number, predecessor.owner(), predecessor.fence(), null, Attempt.Ending.WENT_SILENT, ""));
    }

    Payload toPayload() {
        Writer writer = new Writer();
        writer.bytes(MAGIC).number(VERSION, 1).number(history.size(), 1);
        for (Attempt attempt : history) {
            Owner owner = attempt.owner();
            Duration lasted = attempt.lasted();
            writer.number(attempt.number(), 4)
                    .text(owner == null ? null : owner.label())
                    .number(attempt.fence().value(), 8)
                    .number(lasted == null ? -1 : Micros.of(lasted), 8)
                    .number(attempt.ending().code, 1)
                    .text(attempt.note());
        }
        if (body instanceof Body.Nothing) {
            writer.number(0, 1);
        } else if (body instanceof Body.Bytes result) {
            writer.number(1, 1).bytes(result.payload().bytes());
        } else if (body instanceof Body.Failed failed) {
            Payload detail = failed.failure().detail();
            writer.number(2, 1)
                    .text(failed.failure().code())
                    .text(failed.failure().message())
                    .number(detail == null ? 0 : 1, 1)
                    .bytes(detail == null ? new byte[0] : detail.bytes());
        } else if (body instanceof Body.Reason reason) {
            writer.number(3, 1).text(reason.text());
        }
        return Payload.of(writer.toBytes());
    }

    /**
     * Reads what {@link #toPayload} wrote. A record without a payload was made by other means than a run; it has no
     * history and an answer of null.
     *
     * @throws ResultException if it is of a version this program does not know, or damaged
     */
    static Envelope read(Key key, @Nullable Payload payload) {
        if (payload == null) {
            return EMPTY;
        }
        ByteBuffer bytes = ByteBuffer.wrap(payload.bytes());
        try {
            if (bytes.get() != MAGIC[0] || bytes.get() != MAGIC[1]) {
                throw new ResultException(key, "The record was not written by a run", null);
            }
            byte version = bytes.get();
            if (version != VERSION) {
                throw new ResultException(
                        key,
                        "The record has format " + version + ", this program knows format " + VERSION
                                + "; use a newer version of Leasehold",
                        null);
            }
            return new Envelope(readHistory(bytes), readBody(bytes));
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new ResultException(key, "The record is damaged", e);
        }
    }

    private static List<Attempt> readHistory(ByteBuffer bytes) {
        int count = bytes.get();
        List<Attempt> history = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = bytes.getInt();
            String owner = text(bytes);
            Fence fence = Fence.of(bytes.getLong());
            long lasted = bytes.getLong();
            Attempt.Ending ending = Attempt.Ending.of(bytes.get());
            history.add(new Attempt(
                    number,
                    owner == null ? null : Owner.of(owner),
                    fence,
                    lasted < 0 ? null : Micros.toDuration(lasted),
                    ending,
                    required(bytes)));
        }
        return history;
    }

    private static Body readBody(ByteBuffer bytes) {
        int kind = bytes.get();
        Body body = switch (kind) {
            case 0 -> new Body.Nothing();
            case 1 -> new Body.Bytes(rest(bytes));
            case 2 -> {
                String code = required(bytes);
                String message = required(bytes);
                boolean hasDetail = bytes.get() != 0;
                yield new Body.Failed(new Failure(code, message, hasDetail ? rest(bytes) : null));
            }
            case 3 -> new Body.Reason(required(bytes));
            default -> throw new IllegalArgumentException("There is no body of kind " + kind + ".");
        };
        if (bytes.hasRemaining()) {
            throw new IllegalArgumentException("There are " + bytes.remaining() + " bytes too many.");
        }
        return body;
    }

    private static Payload rest(ByteBuffer bytes) {
        byte[] rest = new byte[bytes.remaining()];
        bytes.get(rest);
        return Payload.of(rest);
    }

    private static @Nullable String text(ByteBuffer bytes) {
        int length = bytes.getInt();
        if (length < 0) {
            return null;
        }
        if (length > bytes.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] text = new byte[length];
        bytes.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    private static String required(ByteBuffer bytes) {
        String text = text(bytes);
        if (text == null) {
            throw new IllegalArgumentException("A text is missing.");
        }
        return text;
    }

    /** Bytes that grow. */
    private static final class Writer {
        private ByteBuffer buffer = ByteBuffer.allocate(256);

        Writer number(long value, int width) {
            makeRoom(width);
            for (int shift = (width - 1) * 8; shift >= 0; shift -= 8) {
                buffer.put((byte) (value >>> shift));
            }
            return this;
        }

        Writer text(@Nullable String text) {
            if (text == null) {
                return number(-1, 4);
            }
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            return number(utf8.length, 4).bytes(utf8);
        }

        Writer bytes(byte[] more) {
            makeRoom(more.length);
            buffer.put(more);
            return this;
        }

        private void makeRoom(int length) {
            if (buffer.remaining() < length) {
                ByteBuffer larger = ByteBuffer.allocate(Math.max(2 * buffer.capacity(), buffer.position() + length));
                larger.put(buffer.flip());
                buffer = larger;
            }
        }

        byte[] toBytes() {
            byte[] bytes = new byte[buffer.position()];
            buffer.flip().get(bytes);
            return bytes;
        }
    }
}
