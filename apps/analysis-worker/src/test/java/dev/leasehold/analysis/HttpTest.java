package dev.leasehold.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import dev.leasehold.once.Failure;
import dev.leasehold.once.Outcome;
import dev.leasehold.store.Fence;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** On SQLite, whose file is all that an instance needs. */
@DisplayName("The worker over HTTP")
@Timeout(60)
class HttpTest {
    @TempDir
    private Path directory;

    private final Output output = new Output();
    private final Gate gate = new Gate("work");
    private Instance instance;
    private Calls calls;

    @BeforeEach
    void start() {
        start(Map.of());
    }

    private void start(Map<String, String> environment) {
        end();
        instance = Instance.start(settings(environment), gate);
        calls = instance.calls;
    }

    private Settings settings(Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("PORT", "0");
        all.put("LEASEHOLD_STORE", "jdbc:sqlite:" + directory.resolve("analyses.db"));
        return Settings.of(List.of(), all);
    }

    /** Changes the records by hand. */
    private void execute(String sql) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(settings(Map.of()).store());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @AfterEach
    void end() {
        if (instance != null) {
            instance.close();
        }
    }

    @AfterEach
    void closeOutput() {
        output.close();
    }

    @Test
    @DisplayName("keeps a text, says where, and reads it")
    void create() {
        Reply created = calls.post("/analyses", "{\"text\":\"A text.\"}");
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.location()).isEqualTo("/analyses/" + created.member("id"));
        assertThat(created.member("status")).isEqualTo("PENDING");
        Reply read = calls.get(created.location());
        assertThat(read.status()).isEqualTo(200);
        assertThat(read.member("status")).isEqualTo("PENDING");
        assertThat(read.json().has("words")).isFalse();
    }

    @Test
    @DisplayName("answers 404 to unknown ids and 400 to malformed ones, in problem+json, and changes nothing")
    void ids() {
        String other = calls.create("another");
        String before = calls.analysis(other).text();
        assertThat(calls.deliver("unknown").isProblem(404)).isTrue();
        assertThat(calls.get("/analyses/unknown").isProblem(404)).isTrue();
        for (String id : List.of("a/b", "..", "", " ", "x".repeat(129), "a'--", "\\u0000", "é", "%", "*")) {
            assertThat(calls.deliver(id).isProblem(400)).as(id).isTrue();
        }
        for (String path : List.of("..%2fx", "%00", "a%20b", "%25", "%zz", ".x", "a%27--", "x".repeat(129))) {
            Reply reply = calls(path);
            assertThat(reply.isProblem(400)).as("%s: %s", path, reply).isTrue();
        }
        for (String body : List.of(
                "",
                "{",
                "[]",
                "null",
                "\"x\"",
                "{}",
                "{\"analysisId\":1}",
                "{\"analysisId\":null}",
                "{\"analysisId\":\"a\"} {}",
                "{\"analysisId\":\"a\",\"analysisId\":\"b\"}",
                "{\"analysisId\":{\"analysisId\":\"a\"}}")) {
            assertThat(calls.post("/internal/tasks/analysis", body).isProblem(400))
                    .as(body)
                    .isTrue();
        }
        for (String body : List.of("{\"text\":7}", "{\"text\":\"a\\u0000b\"}", "{\"text\":\"\\ud800\"}", "text")) {
            assertThat(calls.post("/analyses", body).isProblem(400)).as(body).isTrue();
        }
        assertThat(calls.analysis(other).text()).isEqualTo(before);
        assertThat(gate.begun.get()).isZero();
    }

    /** Written by hand: the client would refuse such paths. */
    private Reply calls(String path) {
        return send("GET /analyses/" + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    }

    private Socket connected() throws IOException {
        int port = Integer.parseInt(
                String.valueOf(instance.context.getEnvironment().getProperty("local.server.port")));
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    private Reply send(String request) {
        try (Socket socket = connected()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            String head = answer.substring(0, answer.indexOf("\r\n\r\n"));
            String type = head.lines()
                    .filter(line -> line.startsWith("Content-Type: "))
                    .map(line -> line.substring("Content-Type: ".length()))
                    .findFirst()
                    .orElse("");
            String body = answer.substring(answer.indexOf('{') < 0 ? answer.length() : answer.indexOf('{'));
            body = body.substring(0, body.lastIndexOf('}') + 1);
            return new Reply(Integer.parseInt(head.split(" ", 3)[1]), type, "", "", body.isEmpty() ? "{}" : body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName("answers other mistakes in problem+json as well")
    void otherMistakes() {
        assertThat(calls.get("/nothing/here").isProblem(404)).isTrue();
        assertThat(calls.get("/internal/tasks/analysis").isProblem(405)).isTrue();
        assertThat(calls.send(calls.request("/analyses")
                                .setHeader("Content-Type", "text/plain")
                                .POST(BodyPublishers.ofString("{\"text\":\"a\"}")))
                        .isProblem(415))
                .isTrue();
    }

    @Test
    @DisplayName("answers 413 to bodies that are too large, with and without a declared length")
    void limits() {
        String text = "{\"text\":\"" + "a".repeat(1_000_000) + "\"}";
        String task = "{\"analysisId\":\"" + "a".repeat(4_096) + "\"}";
        assertThat(calls.post("/analyses", text).isProblem(413)).isTrue();
        assertThat(calls.post("/internal/tasks/analysis", task).isProblem(413)).isTrue();
        for (String body : List.of(text, task)) {
            String path = body.equals(text) ? "/analyses" : "/internal/tasks/analysis";
            assertThat(calls.send(calls.request(path)
                                    .POST(BodyPublishers.ofInputStream(
                                            () -> new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)))))
                            .isProblem(413))
                    .isTrue();
        }
        byte[] short16 = ("{\"text\":\"" + "\u0800".repeat(400_000) + "\"}").getBytes(StandardCharsets.UTF_16BE);
        assertThat(short16).hasSizeLessThan(1_000_000);
        assertThat(calls.send(calls.request("/analyses").POST(BodyPublishers.ofByteArray(short16)))
                        .isProblem(413))
                .as("1.2 MB in UTF-8, as the store keeps it")
                .isTrue();
        String most = "{\"text\":\"" + "a".repeat(1_000_000 - 11) + "\"}";
        assertThat(calls.post("/analyses", most).status()).isEqualTo(201);
    }

    @Test
    @DisplayName(
            "answers broken requests in problem+json, and writes no error into the log for them or for vanished clients")
    void brokenRequests() throws IOException {
        String head = "POST /analyses HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
        Reply chunk = send(head + "Transfer-Encoding: chunked\r\n\r\nnonsense\r\n");
        assertThat(chunk.isProblem(400)).as("%s", chunk).isTrue();
        Reply trace = send("TRACE /analyses/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assertThat(trace.isProblem(405)).as("%s", trace).isTrue();
        try (Socket vanishing = connected()) {
            vanishing
                    .getOutputStream()
                    .write((head + "Content-Length: 100\r\n\r\n{").getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(calls.get("/livez").status()).isEqualTo(200);
        Child.pause(200); // The vanished client is met on a thread of its own.
        assertThat(output.lines("ERROR", "")).isEmpty();
    }

    @Test
    @DisplayName("waits for a body that trickles in only for so long")
    void trickle() {
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                Child.pause(1);
                return ' ';
            }

            @Override
            public int read(byte[] bytes, int start, int length) {
                bytes[start] = (byte) read();
                return 1;
            }
        };
        assertThatThrownBy(() -> Bodies.read(endless, 1_000_000, Duration.ofMillis(50)))
                .isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    @DisplayName("without a task token listens on this machine only")
    void loopback() throws IOException {
        int port = Integer.parseInt(
                String.valueOf(instance.context.getEnvironment().getProperty("local.server.port")));
        List<InetAddress> others = Collections.list(NetworkInterface.getNetworkInterfaces()).stream()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                .toList();
        for (InetAddress address : others) {
            assertThat(isOpen(address, port)).as("%s", address).isFalse();
        }
        assertThat(isOpen(InetAddress.getLoopbackAddress(), port)).isTrue();
    }

    private static boolean isOpen(InetAddress address, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), 2_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private Reply deliver(String id, String authorization) {
        return calls.send(calls.request("/internal/tasks/analysis")
                .header("Authorization", authorization)
                .POST(BodyPublishers.ofString("{\"analysisId\":\"" + id + "\"}")));
    }

    @Test
    @DisplayName("with a task token refuses tasks without it, and nothing else")
    void token() {
        start(Map.of("TASK_TOKEN", "correct horse"));
        gate.opened();
        String id = calls.create("a text");
        assertThat(calls.deliver(id).isProblem(401)).isTrue();
        for (String header :
                List.of("Bearer", "Bearer ", "Bearer correct", "Bearer correct horses", "Basic correct horse")) {
            assertThat(deliver(id, header).isProblem(401)).as(header).isTrue();
        }
        assertThat(calls.analysis(id).member("status")).isEqualTo("PENDING");
        assertThat(deliver(id, "Bearer correct horse").isDone()).isTrue();
    }

    @Test
    @DisplayName("with an issuer refuses tasks without an identity token for this audience and account")
    void identity() throws Exception {
        RSAKey key = new RSAKeyGenerator(2048).keyID("one").generate();
        RSAKey foreign = new RSAKeyGenerator(2048).keyID("one").generate();
        InetSocketAddress address;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
        }
        String issuer = "http://127.0.0.1:" + address.getPort();
        HttpServer server = HttpServer.create();
        serve(server, "/.well-known/openid-configuration", """
                {"issuer":"%1$s","jwks_uri":"%1$s/keys","authorization_endpoint":"%1$s/a","token_endpoint":"%1$s/t",
                 "response_types_supported":["id_token"],"subject_types_supported":["public"]}""".formatted(issuer));
        serve(server, "/keys", new JWKSet(key.toPublicJWK()).toString());
        start(Map.of(
                "TASK_OIDC_ISSUER", issuer, "TASK_OIDC_AUDIENCE", "worker", "TASK_OIDC_EMAIL", "queue@example.org"));
        gate.opened();
        String id = calls.create("a text");
        assertThat(deliver(id, "Bearer " + token(key, issuer, "worker", "queue@example.org", 600))
                        .isProblem(503))
                .as("the issuer is down")
                .isTrue();
        server.bind(address, 0);
        server.start();
        try {
            assertThat(deliver(id, "Bearer " + token(foreign, issuer, "worker", "queue@example.org", 600))
                            .isProblem(401))
                    .isTrue();
            assertThat(deliver(id, "Bearer " + token(key, issuer, "other", "queue@example.org", 600))
                            .isProblem(401))
                    .isTrue();
            assertThat(deliver(id, "Bearer " + token(key, issuer, "worker", "thief@example.org", 600))
                            .isProblem(401))
                    .isTrue();
            assertThat(deliver(id, "Bearer " + token(key, "http://other", "worker", "queue@example.org", 600))
                            .isProblem(401))
                    .isTrue();
            assertThat(deliver(id, "Bearer " + token(key, issuer, "worker", "queue@example.org", -600))
                            .isProblem(401))
                    .isTrue();
            assertThat(deliver(id, "Bearer no.token.atall").isProblem(401)).isTrue();
            assertThat(calls.deliver(id).isProblem(401)).isTrue();
            assertThat(calls.analysis(id).member("status")).isEqualTo("PENDING");
            assertThat(deliver(id, "Bearer " + token(key, issuer, "worker", "queue@example.org", 600))
                            .isDone())
                    .isTrue();
        } finally {
            server.stop(0);
        }
    }

    private static void serve(HttpServer server, String path, String body) {
        server.createContext(path, exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    private static String token(RSAKey key, String issuer, String audience, String email, int seconds)
            throws Exception {
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("one").build(),
                new JWTClaimsSet.Builder()
                        .issuer(issuer)
                        .audience(audience)
                        .claim("email", email)
                        .claim("email_verified", true)
                        .expirationTime(Date.from(Instant.now().plusSeconds(seconds)))
                        .build());
        token.sign(new RSASSASigner(key));
        return token.serialize();
    }

    @Test
    @DisplayName("tells the log that a task was skipped, if it had used up its attempts before")
    void exhaustedBefore() {
        new TaskLog("tried five times")
                .ended(new Outcome.Refused<>(
                        Failure.of(Failure.ATTEMPTS_EXHAUSTED, "Each failed."), Fence.of(7), 5, Duration.ZERO, null));
        assertThat(output.lines("INFO", "analysis skipped")).singleElement().satisfies(line -> {
            assertThat(line.get("analysisId").asString()).isEqualTo("tried five times");
            assertThat(line.get("reason").asString()).isEqualTo("already_finished");
        });
        assertThat(output.lines("WARN", "analysis failed")).isEmpty();
    }

    @Test
    @DisplayName("says whether it lives and is ready, and documents every endpoint and answer")
    void operations() {
        assertThat(calls.get("/livez").status()).isEqualTo(200);
        assertThat(calls.get("/readyz").status()).isEqualTo(200);
        Reply document = calls.get("/openapi");
        assertThat(document.type()).startsWith("application/json");
        JsonNode paths = document.json().get("paths");
        assertThat(paths.propertyNames())
                .containsExactlyInAnyOrder(
                        "/analyses", "/analyses/{id}", "/internal/tasks/analysis", "/livez", "/readyz", "/openapi");
        assertThat(paths.get("/internal/tasks/analysis")
                        .get("post")
                        .get("responses")
                        .propertyNames())
                .containsExactlyInAnyOrder("200", "400", "401", "404", "408", "413", "415", "500", "503");
        assertThat(paths.get("/analyses").get("post").get("responses").propertyNames())
                .containsExactlyInAnyOrder("201", "400", "408", "413", "415", "503");
    }

    @Test
    @DisplayName(
            "that is told to end takes no task, finishes those that run, and clears the locks of those that do not end: no attempt is counted")
    void stopping() throws Exception {
        String quick = calls.create("quick");
        String slow = calls.create("slow");
        execute("UPDATE analyses SET attempts = 4"); // The next one is the last.
        CompletableFuture<Reply> finishing = calls.deliverLater(quick);
        gate.await();
        CompletableFuture<Reply> interrupted = calls.deliverLater(slow);
        gate.await();
        RunningTasks running = instance.context.getBean(RunningTasks.class);
        Thread stopping = new Thread(instance::close);
        stopping.start();
        while (!running.isStopping()) {
            Child.pause(1);
        }
        Reply refused = calls.deliver(slow);
        assertThat(refused.isProblem(503)).isTrue();
        assertThat(refused.retryAfter()).isEqualTo("1");
        assertThat(calls.get("/readyz").isProblem(503)).isTrue();
        assertThat(calls.get("/livez").status()).isEqualTo(200);
        gate.letOneGoOn();
        assertThat(CompletableFuture.anyOf(finishing, interrupted).join()).matches(reply -> ((Reply) reply).isDone());
        stopping.join();
        List<Reply> replies = List.of(finishing.join(), interrupted.join());
        assertThat(replies).anyMatch(Reply::isDone).anyMatch(reply -> reply.isProblem(503));
        assertThat(output.lines("WARN", "Interrupting 1 task that still runs after 1 s; it clears its lock."))
                .hasSize(1);
        start(Map.of());
        gate.opened();
        String unfinished = calls.analysis(quick).member("status").equals("READY") ? slow : quick;
        assertThat(calls.analysis(unfinished).member("status")).isEqualTo("PENDING");
        assertThat(calls.deliver(unfinished).isDone())
                .as("its lock was cleared")
                .isTrue();
    }
}
