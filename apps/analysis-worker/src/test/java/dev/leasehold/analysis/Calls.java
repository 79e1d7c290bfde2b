package dev.leasehold.analysis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.json.JsonMapper;

/** Calls an instance over HTTP. */
final class Calls {
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    final int port;

    Calls(int port) {
        this.port = port;
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(60))
                .header("Content-Type", "application/json");
    }

    Reply send(HttpRequest.Builder request) {
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

    /** Makes an analysis, and gives its id. */
    String create(String text) {
        String body = JsonMapper.shared().writeValueAsString(Map.of("text", text));
        return post("/analyses", body).member("id");
    }

    private static String body(String id) {
        return "{\"analysisId\":\"" + id + "\"}";
    }

    /** Delivers a task. */
    Reply deliver(String id) {
        return post("/internal/tasks/analysis", body(id));
    }

    /** Delivers a task, and gives up waiting for the answer after this long. */
    Reply deliver(String id, Duration limit) {
        return send(request("/internal/tasks/analysis").timeout(limit).POST(BodyPublishers.ofString(body(id))));
    }

    CompletableFuture<Reply> deliverLater(String id) {
        HttpRequest request = request("/internal/tasks/analysis")
                .POST(BodyPublishers.ofString(body(id)))
                .build();
        return HTTP.sendAsync(request, BodyHandlers.ofString()).thenApply(Reply::of);
    }

    Reply analysis(String id) {
        return get("/analyses/" + id);
    }
}
