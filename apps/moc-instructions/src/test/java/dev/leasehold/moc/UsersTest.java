package dev.leasehold.moc;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.node.ObjectNode;

/** With an issuer of tokens that the test runs. */
@DisplayName("Users")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
class UsersTest {
    private static final Upload PLAN = Upload.text("plan.txt", "Take two bricks.");

    private World world;
    private RSAKey key;
    private HttpServer issuer;
    private String issuerUrl;
    private Instance instance;

    @BeforeAll
    void start() throws Exception {
        world = new World();
        key = new RSAKeyGenerator(2048).keyID("one").generate();
        issuer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        issuerUrl = "http://127.0.0.1:" + issuer.getAddress().getPort();
        serve(
                "/.well-known/openid-configuration",
                "{\"issuer\":\"" + issuerUrl + "\",\"jwks_uri\":\"" + issuerUrl + "/keys\"}");
        serve("/keys", new JWKSet(key.toPublicJWK()).toString());
        issuer.start();
        Map<String, String> environment = world.environment("JWT_ISSUER", issuerUrl);
        environment.put("JWT_AUDIENCE", "mocs");
        environment.put("ADDRESS", "127.0.0.1");
        instance = Instance.start(environment);
    }

    private void serve(String path, String json) {
        issuer.createContext(path, exchange -> {
            byte[] body = json.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
    }

    @AfterAll
    void end() throws IOException {
        instance.close();
        issuer.stop(0);
        world.close();
    }

    private String token(String subject, String audience, Instant expiry) throws JOSEException {
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("one").build(),
                new JWTClaimsSet.Builder()
                        .issuer(issuerUrl)
                        .subject(subject)
                        .audience(audience)
                        .expirationTime(Date.from(expiry))
                        .build());
        token.sign(new RSASSASigner(key));
        return token.serialize();
    }

    private Calls user(String subject) throws JOSEException {
        return instance.calls.as(token(subject, "mocs", Instant.now().plusSeconds(600)));
    }

    @Test
    @DisplayName("without a token of the issuer, for this audience and still valid, are refused with 401")
    void unauthorized() throws Exception {
        long mocs = world.count("moc_instructions");
        Instant later = Instant.now().plusSeconds(600);
        for (Calls calls : new Calls[] {
            instance.calls,
            instance.calls.as("nonsense"),
            instance.calls.as(token("ann", "others", later)),
            instance.calls.as(token("ann", "mocs", Instant.now().minusSeconds(600)))
        }) {
            for (Reply reply : new Reply[] {
                calls.get("/api/mocs"),
                calls.declare("x", PLAN),
                calls.read(UUID.randomUUID().toString()),
                calls.finalizeOnce(UUID.randomUUID().toString())
            }) {
                assertThat(reply.isProblem(401, "unauthorized"))
                        .as(reply.text())
                        .isTrue();
            }
        }
        assertThat(world.count("moc_instructions")).isEqualTo(mocs);
        assertThat(instance.calls.get("/livez").status()).isEqualTo(200);
        assertThat(instance.calls.get("/readyz").status()).isEqualTo(200);
        assertThat(instance.calls.get("/openapi").status()).isEqualTo(200);
    }

    private static String withoutPath(Reply reply) {
        return reply.status() + ((ObjectNode) reply.json()).without("instance").toString();
    }

    @Test
    @DisplayName(
            "neither read, finalize, find nor upload another user's MOC: it looks like one that is not there, and is not locked")
    void foreign() throws Exception {
        Calls ann = user("ann");
        Calls bob = user("bob");
        String id = ann.create("Ann's castle", PLAN);
        Reply missing = bob.read(UUID.randomUUID().toString());
        assertThat(missing.isProblem(404, "not-found")).isTrue();
        Map<String, Object> before = world.row(id);
        assertThat(withoutPath(bob.read(id))).isEqualTo(withoutPath(missing));
        assertThat(withoutPath(bob.finalizeOnce(id)))
                .isEqualTo(withoutPath(bob.finalizeOnce(UUID.randomUUID().toString())))
                .isEqualTo(withoutPath(bob.finalizeOnce("no-id")))
                .isEqualTo(withoutPath(missing));
        assertThat(world.row(id)).isEqualTo(before);
        assertThat(ann.finalizeOnce(id).isFinalized()).isTrue();
        world.refresh();
        assertThat(ann.search("castle")).containsExactly(id);
        assertThat(bob.search("castle")).isEmpty();
        assertThat(bob.get("/api/mocs").json().get("mocs")).isEmpty();
        assertThat(bob.finalizeOnce(id).isProblem(404, "not-found")).isTrue();
        assertThat(bob.declare("Ann's Castle", PLAN).status())
                .as("a title of bob's own")
                .isEqualTo(201);
    }
}
