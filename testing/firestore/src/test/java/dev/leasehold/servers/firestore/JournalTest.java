package dev.leasehold.servers.firestore;

import static dev.leasehold.servers.firestore.Bench.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The journal")
class JournalTest {
    @TempDir
    private Path folder;

    private Path file;
    private Settings settings;

    @BeforeEach
    void name() {
        file = folder.resolve("documents");
        settings = Settings.DEFAULT.withFile(file);
    }

    /** Runs something against a server with the journal, as a project that is the same each time. */
    private <T> T with(Work<T> work) {
        try (FirestoreServer server = FirestoreServer.start(settings)) {
            return with(server.host(), work);
        }
    }

    private static <T> T with(String host, Work<T> work) {
        Firestore client = FirestoreOptions.newBuilder()
                .setProjectId("journal")
                .setEmulatorHost(host)
                .build()
                .getService();
        try {
            return work.run(client);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            client.shutdownNow();
        }
    }

    private interface Work<T> {
        T run(Firestore client) throws Exception;
    }

    private Timestamp set(String id, long n) {
        return with(client ->
                await(client.document("things/" + id).set(Map.of("n", n))).getUpdateTime());
    }

    private Long get(String id) {
        return with(client -> await(client.document("things/" + id).get()).getLong("n"));
    }

    @Test
    @DisplayName("keeps documents, their times and deletions over a restart, and the clock never goes back")
    void documentsSurviveARestart() {
        Timestamp written = set("a", 1);
        set("b", 2);
        with(client -> await(client.document("things/b").delete()));
        Timestamp read = with(client -> await(client.document("things/a").get()).getUpdateTime());
        assertThat(read).isEqualTo(written);
        assertThat(get("b")).isNull();
        settings = settings.withClock(() -> java.time.Instant.EPOCH);
        assertThat(set("c", 3)).isGreaterThan(written);
    }

    @Test
    @DisplayName("keeps every acknowledged commit when the process is killed")
    void acknowledgedCommitsSurviveAKill() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String host = out.readLine();
            with(host, client -> {
                for (int i = 0; i < 50; i++) {
                    await(client.document("things/d" + i).set(Map.of("n", i)));
                }
                return process.destroyForcibly().waitFor();
            });
        } finally {
            process.destroyForcibly();
        }
        long kept =
                with(client -> await(client.collection("things").count().get()).getCount());
        assertThat(kept).isEqualTo(50);
    }

    /** A server in a process of its own, until it is killed. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) throws InterruptedException {
            FirestoreServer server = FirestoreServer.start(Settings.DEFAULT.withFile(Path.of(arguments[0])));
            System.out.println(server.host());
            Thread.sleep(60_000);
        }
    }

    @Test
    @DisplayName(
            "drops a last commit that was cut short at any byte, or has other bytes from there on, and keeps those before it")
    void tornLastFrameIsCut() throws IOException {
        set("a", 1);
        byte[] whole;
        byte[] two;
        try (FirestoreServer server = FirestoreServer.start(settings)) {
            whole = Files.readAllBytes(file);
            with(server.host(), client -> await(client.document("things/b").set(Map.of("n", 2))));
            two = Files.readAllBytes(file);
        }
        for (int length : new int[] {whole.length + 1, whole.length + 11, whole.length + 12, two.length - 1}) {
            Files.write(file, Arrays.copyOf(two, length));
            assertThat(get("a")).isEqualTo(1);
            assertThat(get("b")).isNull();
        }
        for (int kept : new int[] {whole.length, whole.length + 4, whole.length + 12, two.length - 5}) {
            for (byte filler : new byte[] {0, 0x55}) {
                byte[] torn = two.clone();
                Arrays.fill(torn, kept, torn.length, filler);
                Files.write(file, torn);
                assertThat(get("a")).isEqualTo(1);
                assertThat(get("b")).as("%s from byte %s on", filler, kept).isNull();
            }
        }
        Files.write(file, Arrays.copyOf(whole, whole.length + 4_096));
        assertThat(get("a")).as("zeros after the last commit").isEqualTo(1);
        Files.write(file, two);
        assertThat(get("b")).isEqualTo(2);
    }

    @Test
    @DisplayName("refuses to start on any other damage, and changes nothing")
    void damageIsAnError() throws IOException {
        set("a", 1);
        set("b", 2);
        byte[] whole = Files.readAllBytes(file);
        for (int at : new int[] {0, 6, 7, 11, 17, 30}) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x10;
            Files.write(file, damaged);
            assertThatThrownBy(() -> FirestoreServer.start(settings))
                    .as("byte %d", at)
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining(file.toString());
            assertThat(Files.readAllBytes(file)).isEqualTo(damaged);
        }
        Files.write(file, whole);
        assertThat(get("a")).isEqualTo(1);
    }

    @Test
    @DisplayName("that cannot be opened is an error that says why")
    void unopened() throws IOException {
        assertThat(FirestoreServer.why(new AccessDeniedException("/x/y.lock"))).isEqualTo("access denied: /x/y.lock");
        Settings elsewhere =
                Settings.DEFAULT.withFile(file.resolveSibling("nothing").resolve("here"));
        assertThatThrownBy(() -> FirestoreServer.start(elsewhere))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("no such file or directory");
    }

    @Test
    @DisplayName("is used by one server at a time")
    void secondServerIsKeptOut() {
        try (FirestoreServer first = FirestoreServer.start(settings)) {
            assertThat(first.port()).isPositive();
            assertThatThrownBy(() -> FirestoreServer.start(settings))
                    .hasMessageContaining("Another Firestore server")
                    .hasCauseInstanceOf(JournalInUseException.class);
        }
        assertThat(get("a")).isNull();
    }

    @Test
    @DisplayName("is compacted at start: what is out of date is gone")
    void startCompacts() throws IOException {
        with(client -> {
            for (int i = 0; i < 100; i++) {
                await(client.document("things/a").set(Map.of("n", i)));
            }
            return null;
        });
        long before = Files.size(file);
        assertThat(get("a")).isEqualTo(99);
        assertThat(Files.size(file)).isLessThan(before / 20);
    }

    @Test
    @DisplayName("is compacted while the server runs: its size follows the documents, not the commits")
    void growthCompacts() throws IOException {
        settings = settings.withSync(false);
        try (FirestoreServer server = FirestoreServer.start(settings)) {
            for (int i = 0; i < 60; i++) {
                long n = i;
                with(
                        server.host(),
                        client -> await(client.document("things/a").set(Map.of("n", n, "text", "x".repeat(500_000)))));
                assertThat(Files.size(file)).isLessThan(20L << 20);
            }
        }
        assertThat(get("a")).isEqualTo(59);
    }
}
