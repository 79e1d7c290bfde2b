package dev.leasehold.analysis;

import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;
import org.springframework.http.HttpStatus;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads what callers send, and refuses what is too large or malformed. */
final class Bodies {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    /** Ids that need no escaping in a document path, a row or a URL. */
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.~-]{0,127}");

    private static final Duration LONGEST = Duration.ofSeconds(60);

    private Bodies() {}

    /**
     * The text in a member of the JSON object that a request has for its body.
     *
     * @param limit in bytes, of the whole body, and of the text in UTF-8
     * @throws IOException if the body did not arrive
     */
    static String text(HttpServletRequest request, int limit, String member) throws IOException {
        if (request.getContentLengthLong() > limit) {
            throw tooLarge(limit);
        }
        JsonNode value =
                parsed(read(request.getInputStream(), limit, LONGEST), member).get(member);
        if (value == null || !value.isString()) {
            throw malformed("\"" + member + "\" is missing, or is not text", member);
        }
        String text = value.stringValue();
        if (text.indexOf(0) >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw malformed(
                    "\"" + member + "\" has a NUL or half a surrogate pair in it, which cannot be stored", member);
        }
        if (text.getBytes(StandardCharsets.UTF_8).length > limit) {
            throw tooLarge(limit); // A body in UTF-16 may be shorter than its text in UTF-8, as stores count it.
        }
        return text;
    }

    /**
     * All bytes of a body. The web server limits the time between two of them, which a slow sender can use again and again.
     */
    static byte[] read(InputStream in, int limit, Duration longest) throws IOException {
        long start = System.nanoTime();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] part = new byte[8 * 1024];
        for (int length = in.read(part); length >= 0; length = in.read(part)) {
            body.write(part, 0, length);
            if (body.size() > limit) {
                throw tooLarge(limit);
            }
            if (System.nanoTime() - start > longest.toNanos()) {
                throw new SocketTimeoutException("The body did not arrive within " + longest.toSeconds() + " s.");
            }
        }
        return body.toByteArray();
    }

    private static RuntimeException tooLarge(int limit) {
        return Problems.of(
                HttpStatus.CONTENT_TOO_LARGE,
                "too-large",
                "The body may have at most " + limit + " bytes, also in UTF-8.");
    }

    private static JsonNode parsed(byte[] body, String member) {
        try {
            JsonNode object = JSON.readTree(body);
            if (object != null && object.isObject()) {
                return object;
            }
        } catch (JacksonException e) {
            // Said below.
        }
        throw malformed("The body is not a JSON object", member);
    }

    /** The id, if it can be one. */
    static String id(String text) {
        if (!ID.matcher(text).matches()) {
            throw Problems.of(
                    HttpStatus.BAD_REQUEST,
                    "malformed",
                    "The id of an analysis has up to 128 letters, digits and _ . ~ - and begins with none of . ~ -");
        }
        return text;
    }

    private static RuntimeException malformed(String what, String member) {
        return Problems.of(HttpStatus.BAD_REQUEST, "malformed", what + ". Send {\"" + member + "\": \"...\"}.");
    }
}
