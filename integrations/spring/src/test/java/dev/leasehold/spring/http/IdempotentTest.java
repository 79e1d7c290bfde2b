package dev.leasehold.spring.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Failure;
import dev.leasehold.once.TerminalException;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** A server with real requests, on PostgreSQL. */
@DisplayName("An idempotent controller method")
@Timeout(120)
class IdempotentTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static ConfigurableApplicationContext context;
    private static Shop.Orders orders;

    private final String key = UUID.randomUUID().toString();

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(Shop.class)
                .properties(
                        "server.port=0",
                        "leasehold.http.max-request-body=1000B",
                        "leasehold.http.max-reply=1000B",
                        "leasehold.http.kept-headers=x-trace,set-cookie,authorization",
                        "spring.application.name=shop",
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "spring.main.banner-mode=off")
                .run();
        orders = context.getBean(Shop.Orders.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @BeforeEach
    void reset() {
        orders.done.set(0);
        orders.begun = new CountDownLatch(1);
        orders.mayEnd = new CountDownLatch(0);
        orders.failure = null;
    }

    private static HttpRequest.Builder request(String path, String body) {
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("X-User", "ann")
                .header("Content-Type", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private HttpRequest.Builder withKey(String path, String body) {
        return request(path, body).header("Idempotency-Key", "\"" + key + "\"");
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return send(withKey(path, body));
    }

    private static void assertProblem(HttpResponse<String> response, int status, String type) {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type"))
                .hasValueSatisfying(it -> assertThat(it).startsWith("application/problem+json"));
        assertThat(response.body()).contains("\"urn:leasehold:problem:" + type + "\"");
    }

    @Test
    @DisplayName("is done once, and its status, body and allowed headers are sent again")
    void replays() throws Exception {
        HttpResponse<String> first = post("/orders", "two cakes");
        HttpResponse<String> again = post("/orders", "two cakes");
        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body()).contains("two cakes", "\"number\":1");
        for (String header : List.of("Location", "Content-Type", "X-Trace")) {
            assertThat(again.headers().firstValue(header))
                    .isPresent()
                    .isEqualTo(first.headers().firstValue(header));
        }
        assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(again.headers().allValues("X-Frame-Options")).containsExactly("DENY");
        assertThat(orders.done).hasValue(1);
        assertThat(orders.fenceInLog).matches("\\d{13,}");
    }

    @Test
    @DisplayName("never keeps cookies and credentials, even if it is told to")
    void secrets() throws Exception {
        HttpResponse<String> first = post("/orders", "one");
        assertThat(first.headers().firstValue("Set-Cookie")).hasValue("session=secret");
        HttpResponse<String> again = post("/orders", "one");
        assertThat(again.headers().firstValue("Set-Cookie")).isEmpty();
        assertThat(again.headers().firstValue("Authorization")).isEmpty();
        List<LeaseSnapshot> kept = context.getBean(Leases.class)
                .store()
                .list(ListRequest.of("ann/").withLimit(1_000))
                .records();
        assertThat(kept).isNotEmpty();
        for (LeaseSnapshot record : kept) {
            if (record.record().progress().payload() != null) {
                byte[] bytes = record.record().progress().payload().bytes();
                assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).doesNotContain("secret");
            }
        }
    }

    @Test
    @DisplayName("answers 409 with Retry-After while the same request is worked on")
    void inFlight() throws Exception {
        orders.mayEnd = new CountDownLatch(1);
        CompletableFuture<HttpResponse<String>> first =
                CLIENT.sendAsync(withKey("/orders", "x").build(), HttpResponse.BodyHandlers.ofString());
        assertThat(orders.begun.await(30, TimeUnit.SECONDS)).isTrue();
        HttpResponse<String> second = post("/orders", "x");
        assertProblem(second, 409, "in-progress");
        assertThat(Integer.parseInt(second.headers().firstValue("Retry-After").orElseThrow()))
                .isBetween(1, 30);
        orders.mayEnd.countDown();
        assertThat(first.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(201);
        assertThat(post("/orders", "x").statusCode()).isEqualTo(201);
        assertThat(orders.done).hasValue(1);
    }

    @Test
    @DisplayName("waits for the same request, if it says so")
    void waits() throws Exception {
        orders.mayEnd = new CountDownLatch(1);
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(CLIENT.sendAsync(withKey("/orders/7/payments", "").build(), HttpResponse.BodyHandlers.ofString()));
        }
        assertThat(orders.begun.await(30, TimeUnit.SECONDS)).isTrue();
        orders.mayEnd.countDown();
        for (CompletableFuture<HttpResponse<String>> each : all) {
            assertThat(each.get(30, TimeUnit.SECONDS).body()).isEqualTo("7 paid 1");
        }
    }

    @Test
    @DisplayName("answers 422 to another body, path, query or type with the same key")
    void mismatch() throws Exception {
        assertThat(post("/orders", "one").statusCode()).isEqualTo(201);
        assertProblem(post("/orders", "two"), 422, "key-reused");
        assertProblem(post("/orders?gift=true", "one"), 422, "key-reused");
        assertProblem(send(withKey("/orders", "one").setHeader("Content-Type", "text/markdown")), 422, "key-reused");
        assertThat(post("/orders/7/payments", "").statusCode()).isEqualTo(200);
        assertProblem(post("/orders/8/payments", ""), 422, "key-reused");
        assertThat(orders.done).hasValue(2);
    }

    @Test
    @DisplayName("answers 400 to a key that is missing or malformed, and takes one without quotes")
    void badKeys() throws Exception {
        assertProblem(send(request("/orders", "x")), 400, "key-missing");
        for (String bad : List.of("\"open", "a,b", "\"\"", "\"" + "x".repeat(256) + "\"")) {
            assertProblem(send(request("/orders", "x").header("Idempotency-Key", bad)), 400, "key-malformed");
        }
        assertProblem(
                send(request("/orders", "x").header("Idempotency-Key", "\"a\"").header("Idempotency-Key", "\"b\"")),
                400,
                "key-malformed");
        assertThat(orders.done).hasValue(0);
        assertThat(send(request("/orders", "x").header("Idempotency-Key", key)).statusCode())
                .isEqualTo(201);
        assertThat(post("/orders", "x").statusCode()).isEqualTo(201);
        assertThat(orders.done).hasValue(1);
    }

    @Test
    @DisplayName("needs no key if it says so, and is done each time then")
    void optional() throws Exception {
        assertThat(send(request("/other", "")).body()).isEqualTo("1");
        assertThat(send(request("/other", "")).body()).isEqualTo("2");
        assertThat(post("/other", "").body()).isEqualTo("3");
        assertThat(post("/other", "").body()).isEqualTo("3");
    }

    @Test
    @DisplayName("gives each principal and each route a reply of its own")
    void scopes() throws Exception {
        assertThat(post("/orders", "x").body()).contains("\"number\":1");
        assertThat(send(withKey("/orders", "x").setHeader("X-User", "bob")).body())
                .contains("\"number\":2");
        assertThat(post("/other", "x").body()).isEqualTo("3");
        assertProblem(
                send(HttpRequest.newBuilder(withKey("/orders", "x").build().uri())
                        .header("Idempotency-Key", key)
                        .POST(HttpRequest.BodyPublishers.noBody())),
                401,
                "no-principal");
        assertThat(orders.done).hasValue(3);
    }

    @Test
    @DisplayName("refuses a body over the limit and does not cut it, with a length and without")
    void largeRequests() throws Exception {
        assertThat(post("/other", "x".repeat(1_000)).statusCode()).isEqualTo(200);
        assertProblem(post("/orders", "x".repeat(1_001)), 413, "request-too-large");
        HttpRequest.Builder chunked = withKey("/orders", "")
                .POST(HttpRequest.BodyPublishers.ofByteArrays(List.of(new byte[600], new byte[600])));
        assertProblem(send(chunked), 413, "request-too-large");
        assertThat(orders.done).hasValue(1);
    }

    @Test
    @DisplayName("refuses a reply over the limit, and does not do the work again for it")
    void largeReplies() throws Exception {
        assertThat(post("/large?size=1000", "").body()).hasSize(1_000);
        String other = "\"" + UUID.randomUUID() + "\"";
        for (int i = 0; i < 2; i++) {
            assertProblem(
                    send(request("/large?size=1001", "").header("Idempotency-Key", other)), 500, "reply-too-large");
        }
        assertThat(orders.done).hasValue(2);
    }

    @Test
    @DisplayName("refuses an upload of files")
    void multipart() throws Exception {
        assertProblem(
                send(withKey("/orders", "").setHeader("Content-Type", "multipart/form-data; boundary=x")),
                415,
                "multipart");
    }

    @Test
    @DisplayName("reads a form, whose fields are the request")
    void forms() throws Exception {
        String form = "application/x-www-form-urlencoded";
        assertThat(send(withKey("/form", "name=ann&a=1").setHeader("Content-Type", form))
                        .body())
                .isEqualTo("ann1");
        assertThat(send(withKey("/form", "a=1&name=ann").setHeader("Content-Type", form))
                        .body())
                .isEqualTo("ann1");
        assertProblem(send(withKey("/form", "name=bob").setHeader("Content-Type", form)), 422, "key-reused");
    }

    @Test
    @DisplayName("keeps a reply that says no for good, and not one that may be another next time")
    void failures() throws Exception {
        for (int kept : List.of(200, 400, 404, 409, 422)) {
            String own = "\"" + UUID.randomUUID() + "\"";
            orders.done.set(0);
            for (int i = 0; i < 2; i++) {
                HttpResponse<String> response =
                        send(request("/status/" + kept, "").header("Idempotency-Key", own));
                assertThat(response.statusCode()).isEqualTo(kept);
                assertThat(response.body()).isEqualTo("number 1");
            }
        }
        for (int passing : List.of(408, 429, 500, 503)) {
            String own = "\"" + UUID.randomUUID() + "\"";
            orders.done.set(0);
            for (int i = 1; i <= 2; i++) {
                HttpResponse<String> response =
                        send(request("/status/" + passing, "").header("Idempotency-Key", own));
                assertThat(response.statusCode()).isEqualTo(passing);
                assertThat(response.body()).isEqualTo("number " + i);
            }
        }
    }

    @Test
    @DisplayName("leaves what it throws to the application, and is done again; a terminal one is kept")
    void exceptions() throws Exception {
        orders.failure = new IllegalStateException("broken");
        assertThat(post("/orders", "x").statusCode()).isEqualTo(500);
        assertThat(post("/orders", "x").statusCode()).isEqualTo(201);
        assertThat(orders.done).hasValue(2);

        orders.failure = new TerminalException(Failure.of("sold-out", "There are no cakes left."));
        for (int i = 0; i < 2; i++) {
            assertProblem(post("/other", "y"), 422, "failed");
        }
        assertThat(orders.done).hasValue(3);
    }

    @Test
    @DisplayName("keeps the status of an error that was sent")
    void sentErrors() throws Exception {
        assertThat(post("/gone", "").statusCode()).isEqualTo(410);
        assertThat(post("/gone", "").statusCode()).isEqualTo(410);
        assertThat(orders.done).hasValue(1);
    }

    @Test
    @DisplayName("says in its reply that it was done before, if its callers are people who finalize")
    void finalizing() throws Exception {
        assertThat(post("/finalize", "").body()).isEqualTo("{\"number\":1}");
        assertThat(post("/finalize", "").body()).isEqualTo("{\"number\":1,\"idempotent\":true}");
    }

    @Test
    @DisplayName("is left alone without the annotation")
    void plain() throws Exception {
        assertThat(send(request("/plain", "").GET()).body()).isEqualTo("0");
    }
}
