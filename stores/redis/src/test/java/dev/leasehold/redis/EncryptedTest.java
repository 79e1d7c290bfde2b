package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.RedisServer;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.Stores;
import dev.leasehold.tck.Ask;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server is a real one with TLS. What a JVM trusts is settled when it starts, so clients who trust are new JVMs. */
@Tag("slow")
@DisplayName("A Redis by rediss:")
class EncryptedTest {
    @TempDir
    private static Path directory;

    private static TestCertificate certificate;
    private static RedisServer server;
    private static int port;

    @BeforeAll
    static void start() throws Exception {
        certificate = TestCertificate.of("ip:127.0.0.1", directory);
        port = freePort();
        server = RedisServer.start(Config.relaxed()
                .with("tls-port", Integer.toString(port))
                .with("tls-cert-file", certificate.certificate().toString())
                .with("tls-key-file", certificate.key().toString())
                .with("tls-ca-cert-file", certificate.certificate().toString())
                .with("tls-auth-clients", "optional"));
    }

    @AfterAll
    static void close() {
        server.close();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static String url(String scheme, String host) {
        return scheme + "://:" + server.password() + "@" + host + ":" + port + "/?accept=lost-writes";
    }

    /** Takes a lease at each of the URLs, and says what became of it. */
    static final class Client {
        private Client() {}

        public static void main(String[] urls) {
            for (String url : urls) {
                try (LeaseStore store = Stores.open(url)) {
                    System.out.println("fence " + Ask.take(store, Ask.key()).fence());
                } catch (StoreException e) {
                    System.out.println(e.getMessage());
                }
            }
        }
    }

    /** What a JVM says that trusts the server's certificate. */
    private static List<String> trusting(String... urls) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djavax.net.ssl.trustStore=" + certificate.store(),
                "-Djavax.net.ssl.trustStorePassword=" + TestCertificate.PASSWORD,
                "-cp",
                System.getProperty("java.class.path"),
                Client.class.getName()));
        command.addAll(List.of(urls));
        Process client = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(client.waitFor()).as(said).isZero();
        return said.lines().toList();
    }

    @Test
    @DisplayName(
            "is used if its certificate is trusted and names it, and refused under another name or without encryption")
    void trusted() throws Exception {
        List<String> said = trusting(url("rediss", "127.0.0.1"), url("rediss", "localhost"), url("redis", "127.0.0.1"));
        assertThat(said).hasSize(3);
        assertThat(said.get(0)).startsWith("fence ");
        assertThat(said.get(1)).contains("localhost");
        assertThat(said.get(2)).doesNotContain("fence").contains("TLS", "rediss:");
    }

    @Test
    @DisplayName("L08 is refused if its certificate is not trusted")
    void untrusted() {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> Stores.open(url("rediss", "127.0.0.1")))
                .withRootCauseInstanceOf(Exception.class)
                .satisfies(
                        failure -> assertThat(failure).hasStackTraceContaining(SSLHandshakeException.class.getName()));
    }
}
