package dev.leasehold.once.http;

import dev.leasehold.once.Codec;
import dev.leasehold.once.Failure;
import dev.leasehold.store.Payload;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP reply that can be kept and sent again, the same to the byte: status, the headers that may be kept, and body.
 *
 * <p>Immutable. The names of its headers are in lower case.
 */
public final class Reply {
    /** The headers that are kept unless others are named: those that describe the body or what was made. */
    public static final Set<String> KEPT_HEADERS = Set.of(
            "content-type",
            "content-language",
            "content-encoding",
            "content-disposition",
            "content-location",
            "location",
            "etag",
            "last-modified",
            "link");

    /** Headers that are never kept, whoever names them: they belong to one caller, one moment or one connection. */
    private static final Set<String> NEVER_KEPT = Set.of(
            "set-cookie",
            "set-cookie2",
            "date",
            "age",
            "authorization",
            "proxy-authorization",
            "www-authenticate",
            "proxy-authenticate",
            "authentication-info",
            "proxy-authentication-info",
            "connection",
            "keep-alive",
            "transfer-encoding",
            "content-length",
            "te",
            "trailer",
            "upgrade");

    /** Begins every kept reply, and ends in the version. */
    private static final int MARK = 'L' << 24 | 'H' << 16 | 'R' << 8 | 1;

    private final int status;
    private final Map<String, List<String>> headers;
    private final byte[] body;

    private Reply(int status, Map<String, List<String>> headers, byte[] body) {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException("The status of a reply is between 200 and 599, not " + status + ".");
        }
        this.status = status;
        this.headers = headers;
        this.body = body;
    }

    /** A reply of which the usual headers are kept, {@link #KEPT_HEADERS}. */
    public static Reply of(int status, Map<String, List<String>> headers, byte[] body) {
        return of(status, headers, body, KEPT_HEADERS);
    }

    /**
     * A reply of which only these headers are kept. Cookies, credentials, dates and what belongs to the connection are
     * not kept even if named.
     */
    public static Reply of(int status, Map<String, List<String>> headers, byte[] body, Set<String> kept) {
        Set<String> names = new HashSet<>();
        kept.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
        names.removeAll(NEVER_KEPT);
        Map<String, List<String>> chosen = new TreeMap<>();
        headers.forEach((name, values) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (names.contains(lower)) {
                chosen.merge(lower, List.copyOf(values), Reply::joined);
            }
        });
        return new Reply(status, chosen, body.clone());
    }

    private static List<String> joined(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    /** A reply with a body of this type. */
    public static Reply of(int status, String contentType, byte[] body) {
        return of(status, Map.of("content-type", List.of(contentType)), body);
    }

    public int status() {
        return status;
    }

    /** The headers that are kept, by name in lower case. */
    public Map<String, List<String>> headers() {
        return Collections.unmodifiableMap(headers);
    }

    public byte[] body() {
        return body.clone();
    }

    /** A failure that is kept for good and answered with this reply: to be thrown as a terminal one by the work. */
    public Failure asFailure(String code, String message) {
        try {
            return new Failure(code, message, Payload.of(ReplyCodec.INSTANCE.encode(this)));
        } catch (IOException e) {
            throw new IllegalArgumentException("A header of this reply is too long to be kept.", e);
        }
    }

    /** The reply that a kept failure is to be answered with, if it was made by {@link #asFailure}. */
    public static Optional<Reply> of(Failure failure) {
        Payload detail = failure.detail();
        try {
            return detail == null ? Optional.empty() : Optional.of(ReplyCodec.INSTANCE.decode(detail.bytes()));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty(); // The detail is something else.
        }
    }

    /** For runs whose answer is a reply. */
    public static Codec<Reply> codec() {
        return ReplyCodec.INSTANCE;
    }

    /** Reads what was kept, also by earlier versions of this class. */
    private static final class ReplyCodec implements Codec<Reply> {
        private static final ReplyCodec INSTANCE = new ReplyCodec();

        @Override
        public byte[] encode(Reply reply) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (DataOutputStream out = new DataOutputStream(bytes)) {
                out.writeInt(MARK);
                out.writeShort(reply.status);
                out.writeInt(reply.headers.size());
                for (Map.Entry<String, List<String>> header : reply.headers.entrySet()) {
                    out.writeUTF(header.getKey());
                    out.writeInt(header.getValue().size());
                    for (String value : header.getValue()) {
                        out.writeUTF(value);
                    }
                }
                out.write(reply.body);
            }
            return bytes.toByteArray();
        }

        @Override
        public Reply decode(byte[] bytes) throws IOException {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
            if (bytes.length < Integer.BYTES || in.readInt() != MARK) {
                throw new IOException("This is no kept reply, or one of a version that this program cannot read.");
            }
            int status = in.readUnsignedShort();
            Map<String, List<String>> headers = new TreeMap<>();
            for (int i = in.readInt(); i > 0; i--) {
                String name = in.readUTF();
                String[] values = new String[in.readInt()];
                for (int k = 0; k < values.length; k++) {
                    values[k] = in.readUTF();
                }
                headers.put(name, List.of(values));
            }
            return new Reply(status, headers, in.readAllBytes());
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Reply that
                && status == that.status
                && headers.equals(that.headers)
                && Arrays.equals(body, that.body);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * status + headers.hashCode()) + Arrays.hashCode(body);
    }

    /** Names the size of the body only: replies may be secret. */
    @Override
    public String toString() {
        return status + " " + headers.keySet() + ", " + body.length + " bytes";
    }
}
