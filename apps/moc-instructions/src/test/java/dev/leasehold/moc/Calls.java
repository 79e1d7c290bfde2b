package dev.leasehold.moc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls an instance over HTTP, as one user. */
final class Calls {
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    private final int port;
    private final @Nullable String token;

    Calls(int port) {
        this(port, null);
    }

    private Calls(int port, @Nullable String token) {
        this.port = port;
        this.token = token;
    }

    /** The same instance, as the user of this token. */
    Calls as(String bearer) {
        return new Calls(port, bearer);
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + address() + path))
                .timeout(Duration.ofSeconds(60))
                .header("Content-Type", "application/json");
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    static Reply send(HttpRequest.Builder request) {
        try {
            return Reply.of(HTTP.send(request.build(), BodyHandlers.ofString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    Reply get(String path) {
        return send(request(path).GET());
    }

    Reply post(String path, String body) {
        return send(request(path).POST(BodyPublishers.ofString(body)));
    }

    static String declaration(String title, @Nullable String thumbnail, Upload... files) {
        Map<String, Object> body = new HashMap<>();
        body.put("title", title);
        body.put("files", List.of(files).stream().map(Upload::declared).toList());
        if (thumbnail != null) {
            body.put("thumbnail", thumbnail);
        }
        return JsonMapper.shared().writeValueAsString(body);
    }

    Reply declare(String title, Upload... files) {
        return post("/api/mocs", declaration(title, null, files));
    }

    /** Declares a MOC, uploads its files, and gives its id. */
    String create(String title, Upload... files) {
        return create(title, null, files);
    }

    String create(String title, @Nullable String thumbnail, Upload... files) {
        Reply made = post("/api/mocs", declaration(title, thumbnail, files));
        assertThat(made.status()).as(made.text()).isEqualTo(201);
        for (Upload file : files) {
            Reply uploaded = upload(made, file, file.bytes());
            assertThat(uploaded.status()).as(uploaded.text()).isEqualTo(200);
        }
        return made.member("id");
    }

    /** Uploads bytes as the reply to a declaration says. */
    static Reply upload(Reply made, Upload file, byte[] bytes) {
        JsonNode upload = made.json().get("uploads").get(file.name());
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(upload.get("url").asString()))
                .timeout(Duration.ofSeconds(30))
                .PUT(BodyPublishers.ofByteArray(bytes));
        upload.get("headers")
                .properties()
                .forEach(header ->
                        request.header(header.getKey(), header.getValue().asString()));
        return send(request);
    }

    private HttpRequest.Builder finalizing(String id) {
        return request("/api/mocs/" + id + "/finalize").POST(BodyPublishers.noBody());
    }

    Reply finalizeOnce(String id) {
        return send(finalizing(id));
    }

    Reply finalizeOnce(String id, Duration limit) {
        return send(finalizing(id).timeout(limit));
    }

    CompletableFuture<Reply> finalizeLater(String id) {
        return HTTP.sendAsync(finalizing(id).build(), BodyHandlers.ofString()).thenApply(Reply::of);
    }

    Reply read(String id) {
        return get("/api/mocs/" + id);
    }

    /** The ids of the MOCs that are found. */
    List<String> search(String words) {
        Reply found = get("/api/mocs?q=" + URLEncoder.encode(words, StandardCharsets.UTF_8));
        assertThat(found.status()).as(found.text()).isEqualTo(200);
        return found.json()
                .get("mocs")
                .valueStream()
                .map(moc -> moc.get("id").asString())
                .toList();
    }
}
