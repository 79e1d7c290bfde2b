package dev.leasehold.moc;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The documents of finalized MOCs in OpenSearch, one under each MOC's id, with the fence of the finalize as version: the
 * document of an older finalize never replaces that of a newer one. Safe for use by many threads.
 */
final class SearchIndex {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final int TRIES = 3;
    private static final long PAUSE_MILLIS = 100;
    private static final int MOST_FOUND = 100;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final JsonMapper JSON = JsonMapper.shared();

    private static final Object MAPPING = Map.of(
            "mappings",
            Map.of(
                    "properties",
                    Map.of(
                            "ownerId", Map.of("type", "keyword"),
                            "title", Map.of("type", "text"),
                            "files", Map.of("type", "text"))));

    private final @Nullable URI url;
    private final String index;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(LIMIT)
            .build();
    private volatile boolean isReady;

    SearchIndex(Settings settings) {
        this.url = settings.openSearch();
        this.index = settings.index();
    }

    /** OpenSearch does not answer, or not as it should; the request may be sent again later. */
    static final class DownException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        DownException(String why, @Nullable Throwable cause) {
            super("OpenSearch does not answer as it should: " + why, cause);
        }
    }

    /** The index has the document of a newer finalize. */
    static final class OvertakenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OvertakenException() {
            super("A newer finalize has indexed this MOC.");
        }
    }

    boolean isOn() {
        return url != null;
    }

    /**
     * Writes the document of a MOC; nothing if search is off.
     *
     * @throws OvertakenException if a newer finalize has written it
     */
    void index(Moc moc, List<MocFile> files, long fence) {
        if (url == null) {
            return;
        }
        makeReady();
        Object document = Map.of(
                "ownerId",
                moc.ownerId(),
                "title",
                moc.title(),
                "files",
                files.stream().map(MocFile::name).toList());
        HttpResponse<String> response =
                send("PUT", "/_doc/" + moc.id() + "?version_type=external_gte&version=" + fence, document);
        if (response.statusCode() == CONFLICT) {
            throw new OvertakenException();
        }
        requireOk(response);
    }

    /** The ids of the owner's MOCs whose title or files match these words, the best first. */
    List<UUID> search(String ownerId, String words) {
        makeReady();
        Object query = Map.of(
                "size",
                MOST_FOUND,
                "_source",
                false,
                "query",
                Map.of(
                        "bool",
                        Map.of(
                                "must",
                                        Map.of(
                                                "multi_match",
                                                Map.of("query", words, "fields", List.of("title^2", "files"))),
                                "filter", Map.of("term", Map.of("ownerId", ownerId)))));
        HttpResponse<String> response = send("POST", "/_search", query);
        requireOk(response);
        List<UUID> ids = new ArrayList<>();
        for (JsonNode hit : JSON.readTree(response.body()).path("hits").path("hits")) {
            ids.add(UUID.fromString(hit.get("_id").asString()));
        }
        return ids;
    }

    /** Makes the index if it is missing: one that is made by its first document would guess the fields' types. */
    private void makeReady() {
        if (isReady) {
            return;
        }
        if (send("HEAD", "", null).statusCode() == NOT_FOUND) {
            HttpResponse<String> made = send("PUT", "", MAPPING);
            if (!made.body().contains("resource_already_exists_exception")) { // Another instance was quicker.
                requireOk(made);
            }
        }
        isReady = true;
    }

    private static void requireOk(HttpResponse<String> response) {
        if (response.statusCode() / 100 != 2) {
            throw new DownException("status " + response.statusCode(), null);
        }
    }

    /** Sends a request up to three times if there is no answer, or one that says to come again: each is harmless twice. */
    private HttpResponse<String> send(String method, String path, @Nullable Object body) {
        for (int tried = 1; ; tried++) {
            try {
                HttpResponse<String> response = client.send(request(method, path, body), BodyHandlers.ofString());
                boolean isBusy = response.statusCode() >= 500 || response.statusCode() == 429;
                if (!isBusy || tried == TRIES) {
                    return response;
                }
            } catch (IOException e) {
                if (tried == TRIES) {
                    throw new DownException(e.getClass().getSimpleName(), e);
                }
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
            pause(tried * PAUSE_MILLIS);
        }
    }

    private HttpRequest request(String method, String path, @Nullable Object body) {
        URI base = java.util.Objects.requireNonNull(url, "search is off");
        String port = base.getPort() < 0 ? "" : ":" + base.getPort();
        String root = base.getScheme() + "://" + base.getHost() + port
                + (base.getPath() == null ? "" : base.getPath().replaceAll("/$", ""));
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(root + "/" + URLEncoder.encode(index, StandardCharsets.UTF_8) + path))
                .timeout(LIMIT)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body == null
                                ? BodyPublishers.noBody()
                                : BodyPublishers.ofString(JSON.writeValueAsString(body)));
        String user = base.getUserInfo();
        if (user != null) {
            byte[] bytes = user.getBytes(StandardCharsets.UTF_8);
            request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(bytes));
        }
        return request.build();
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static DownException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new DownException("interrupted", e);
    }
}
