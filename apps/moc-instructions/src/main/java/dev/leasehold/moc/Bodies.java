package dev.leasehold.moc;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads what users send, and refuses what is too large or malformed. */
final class Bodies {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final int LIMIT = 256 * 1024;
    private static final int MOST_FILES = 100;
    private static final long LARGEST_FILE = 100_000_000;
    private static final Pattern TYPE =
            Pattern.compile("[a-z0-9][a-z0-9!#$&^_.+-]{0,62}/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}");
    private static final Pattern SHA_256 = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern UUID_TEXT = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private Bodies() {}

    /** A MOC to be. */
    record NewMoc(String title, List<MocFile> files) {}

    static NewMoc newMoc(HttpServletRequest request) throws IOException {
        JsonNode body = parsed(request);
        String title = text(body, "title", Titles.LONGEST);
        JsonNode list = body.get("files");
        if (list == null || !list.isArray() || list.isEmpty() || list.size() > MOST_FILES) {
            throw malformed("\"files\" is a list of 1 to " + MOST_FILES + " files");
        }
        String thumbnail = body.get("thumbnail") == null ? null : text(body, "thumbnail", Titles.LONGEST);
        List<MocFile> files = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (JsonNode declared : list) {
            MocFile file = file(files.size(), declared, thumbnail);
            if (!names.add(file.name())) {
                throw malformed("Two files have the same name");
            }
            files.add(file);
        }
        if (thumbnail != null && files.stream().noneMatch(MocFile::isThumbnail)) {
            throw malformed("\"thumbnail\" is the name of one of the files");
        }
        return new NewMoc(title, List.copyOf(files));
    }

    private static MocFile file(int position, JsonNode declared, @Nullable String thumbnail) {
        String name = text(declared, "name", Titles.LONGEST);
        JsonNode size = declared.get("size");
        if (size == null || !size.isIntegralNumber() || size.asLong(0) < 1 || size.asLong(0) > LARGEST_FILE) {
            throw malformed("The \"size\" of a file is a number of bytes from 1 to " + LARGEST_FILE);
        }
        String type = text(declared, "contentType", 127);
        String sha256 = text(declared, "sha256", 64);
        if (!TYPE.matcher(type).matches() || !SHA_256.matcher(sha256).matches()) {
            throw malformed(
                    "A file has a \"contentType\" such as image/png, and a \"sha256\" of 64 digits, both in lower case");
        }
        MocFile file = new MocFile(position, name, size.asLong(), type, sha256, name.equals(thumbnail));
        if (file.isThumbnail() && (!file.isImage() || file.size() > Thumbnails.MOST_BYTES)) {
            throw malformed("\"thumbnail\" is an image/jpeg, image/png or image/gif of up to " + Thumbnails.MOST_BYTES
                    + " bytes");
        }
        return file;
    }

    private static JsonNode parsed(HttpServletRequest request) throws IOException {
        byte[] body = request.getContentLengthLong() > LIMIT
                ? new byte[LIMIT + 1]
                : request.getInputStream().readNBytes(LIMIT + 1);
        if (body.length > LIMIT) {
            throw Problems.of(
                    HttpStatus.CONTENT_TOO_LARGE, "too-large", "The body may have at most " + LIMIT + " bytes.");
        }
        try {
            JsonNode object = JSON.readTree(body);
            if (object != null && object.isObject()) {
                return object;
            }
        } catch (JacksonException e) {
            // Said below.
        }
        throw malformed("The body is not a JSON object");
    }

    private static String text(JsonNode object, String member, int longest) {
        JsonNode value = object.get(member);
        String text = value != null && value.isString() ? value.stringValue() : "";
        if (text.isEmpty()
                || text.length() > longest
                || text.chars().anyMatch(Character::isISOControl)
                || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw malformed(
                    "\"" + member + "\" is a text of 1 to " + longest + " characters without control characters");
        }
        return text;
    }

    /** The id of a MOC; one that cannot be is as unknown as one that is not there. */
    static UUID id(String text) {
        if (!UUID_TEXT.matcher(text).matches()) {
            throw Problems.unknown();
        }
        return UUID.fromString(text);
    }

    private static RuntimeException malformed(String what) {
        return Problems.of(HttpStatus.BAD_REQUEST, "malformed", what + ". GET /openapi describes the request.");
    }
}
