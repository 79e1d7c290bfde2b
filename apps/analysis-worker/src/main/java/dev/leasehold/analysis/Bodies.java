package dev.leasehold.analysis;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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

    private Bodies() {}

    /**
     * The text in a member of the JSON object that a request has for its body.
     *
     * @param limit in bytes, of the whole body
     */
    static String text(HttpServletRequest request, int limit, String member) throws IOException {
        byte[] body = request.getContentLengthLong() > limit
                ? new byte[limit + 1]
                : request.getInputStream().readNBytes(limit + 1);
        if (body.length > limit) {
            throw Problems.of(
                    HttpStatus.CONTENT_TOO_LARGE, "too-large", "The body may have at most " + limit + " bytes.");
        }
        JsonNode value = parsed(body, member).get(member);
        if (value == null || !value.isString()) {
            throw malformed("\"" + member + "\" is missing, or is not text", member);
        }
        String text = value.stringValue();
        if (text.indexOf(0) >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw malformed(
                    "\"" + member + "\" has a NUL or half a surrogate pair in it, which cannot be stored", member);
        }
        return text;
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
