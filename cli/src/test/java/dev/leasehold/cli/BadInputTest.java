package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("leasehold, used wrongly")
class BadInputTest {
    @TempDir
    private Path home;

    private Cli cli;

    @BeforeEach
    void prepare() {
        cli = new Cli(home);
    }

    private void refuses(int code, String words, String... arguments) {
        Run run = cli.run(arguments);
        assertThat(run.err()).startsWith("leasehold: ").contains(words).doesNotContain("\tat ");
        assertThat(run.out()).isEmpty();
        assertThat(run.code()).isEqualTo(code);
    }

    @ParameterizedTest(name = "64 for {0}")
    @ValueSource(
            strings = {
                "run -- true",
                "run --key k",
                "run --key k --ttl soon -- true",
                "run --key k --ttl 10ms -- true",
                "run --key k --nonsense -- true",
                "run --key k -E 300 -- true",
                "run --key k --on-lost panic -- true",
                "fly"
            })
    void wrongUsage(String line) {
        refuses(ExitCode.USAGE, "See leasehold", line.split(" ", -1));
    }

    @Test
    @DisplayName("A grace of more than a third of the TTL is refused, with the reason")
    void graceTooLong() {
        refuses(ExitCode.USAGE, "a third at most", "run", "--key", "k", "--ttl", "20", "--grace", "10", "--", "true");
    }

    @Test
    @DisplayName("A key that is not valid is told why")
    void invalidKey() {
        refuses(ExitCode.USAGE, "must not have '..' as a part", "run", "--key", "a/../b", "--", "true");
        refuses(ExitCode.USAGE, "control characters; there is U+0007", "run", "--key", "a\u0007b", "--", "true");
        refuses(ExitCode.USAGE, "at most 512 bytes", "run", "--key", "k".repeat(513), "--", "true");
    }

    @ParameterizedTest(name = "78 for the store {0}")
    @CsvSource({
        "redis2:x, 'only for file:, jdbc:h2:'",
        "/var/lib/leases, 'begins with a scheme'",
        "sqlite:/nowhere/at/all.db, 'There is no database at /nowhere/at/all.db'",
        "jdbc:oracle:thin:x, 'No store is known'",
        "worker-lock:jdbc:oracle:x, 'No JDBC driver'"
    })
    void unusableStore(String url, String words) {
        refuses(ExitCode.CONFIG, words, "run", "--key", "k", "--store", url, "--", "echo", "ran");
    }

    @Test
    @Tag("slow")
    @DisplayName("A database without tables is refused, with the command that makes them")
    void missingTables() throws IOException {
        Files.createFile(home.resolve("empty.db"));
        refuses(
                ExitCode.CONFIG,
                "leasehold schema",
                "run",
                "--key",
                "k",
                "--store",
                "sqlite:" + home.resolve("empty.db"),
                "--",
                "true");
    }

    @Test
    @Tag("slow")
    @DisplayName("127 for a command that is not there, 126 for one that cannot be executed; no lease is taken")
    void commandsThatCannotRun() throws IOException {
        Path file = Files.writeString(home.resolve("data.txt"), "no program");
        refuses(ExitCode.NOT_FOUND, "no such command", "run", "--key", "k", "--", "no-such-program-anywhere");
        refuses(ExitCode.NOT_FOUND, "no such command", "run", "--key", "k", "--", "/no/such/file");
        refuses(ExitCode.NOT_EXECUTABLE, "cannot be executed", "run", "--key", "k", "--", file.toString());
        refuses(ExitCode.NOT_EXECUTABLE, "cannot be executed", "run", "--key", "k", "--", home.toString());
        assertThat(home.resolve("leasehold")).doesNotExist();
    }

    @Test
    @Tag("slow")
    @DisplayName("I07 A store that cannot be reached gives 69, and the command is not started")
    void unreachableStore() throws IOException {
        refuses(
                ExitCode.UNAVAILABLE,
                "cannot be reached",
                "run",
                "--key",
                "k",
                "--store",
                nowhere(),
                "--",
                "echo",
                "x");
    }

    @Test
    @Tag("slow")
    @DisplayName("I07 With --on-store-error run the command is started without a lease")
    void runsWithoutStoreIfTold() throws IOException {
        Run run = cli.with("LEASEHOLD_FENCE", "1")
                .run(
                        "run",
                        "--key",
                        "k",
                        "--store",
                        nowhere(),
                        "--on-store-error",
                        "run",
                        "--",
                        "sh",
                        "-c",
                        "echo ran ${LEASEHOLD_FENCE-without fence}; exit 5");
        assertThat(run).returns(5, Run::code).returns("ran without fence\n", Run::out);
        assertThat(run.err()).startsWith("leasehold: Running without a lease");
    }

    private static String nowhere() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            return "jdbc:postgresql://127.0.0.1:" + socket.getLocalPort() + "/x";
        }
    }

    @Test
    @Tag("slow")
    @DisplayName("I07 A store that takes connections and never answers gives 69 within its timeout")
    void silentStore() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            long start = System.nanoTime();
            String url = "jdbc:postgresql://127.0.0.1:" + socket.getLocalPort() + "/x?loginTimeout=0&connectTimeout=0";
            cli.with("LEASEHOLD_STORE_TIMEOUT", "1s").with("LEASEHOLD_STORE", url);
            refuses(
                    ExitCode.UNAVAILABLE,
                    "no answer within",
                    "run",
                    "--key",
                    "k",
                    "--store-timeout",
                    "3s",
                    "--",
                    "echo");
            refuses(ExitCode.UNAVAILABLE, "no answer within", "list");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        }
    }

    @Test
    @Tag("slow")
    @DisplayName("A password in a URL is in no message and not in the environment of the command")
    void passwordsStaySecret() throws IOException {
        String url = nowhere() + "?password=s3cret";
        Run run = cli.with("LEASEHOLD_STORE", url)
                .run("run", "--key", "k", "--on-store-error", "run", "--", "sh", "-c", "echo ${LEASEHOLD_STORE-none}");
        assertThat(run.out()).startsWith("withheld:jdbc:postgresql://").endsWith("?password=***\n");
        assertThat(run.err()).doesNotContain("s3cret");
        for (String hostile : List.of("redis://:s3/cret@127.0.0.1:1", "redis://:s3%zzcret@127.0.0.1:1")) {
            run = cli.with("LEASEHOLD_STORE", hostile)
                    .run(
                            "run",
                            "--key",
                            "k",
                            "--on-store-error",
                            "run",
                            "--",
                            "sh",
                            "-c",
                            "echo ${LEASEHOLD_STORE-none}");
            assertThat(run.out()).doesNotContain("cret");
            assertThat(run.err()).doesNotContain("cret");
        }
        run = cli.with("LEASEHOLD_STORE", "foo://me:s3cret@x").run("run", "--key", "k", "--", "true");
        assertThat(run.err()).doesNotContain("s3cret");
    }

    @Test
    @Tag("slow")
    @DisplayName("A run inside a run whose URL holds a password is refused, and does not use the default store")
    void nestedRun() {
        String store = "jdbc:h2:" + home.resolve("h2") + ";USER=sa;PASSWORD=s3cret";
        cli.with("LEASEHOLD_STORE", store);
        assertThat(cli.run("schema", "--apply").code()).isZero();
        List<String> nested = new ArrayList<>(List.of("run", "--key", "outer", "--"));
        nested.addAll(Cli.command("run", "--key", "inner", "--", "echo", "ran"));
        Run run = cli.run(nested.toArray(String[]::new));
        assertThat(run.err())
                .contains("LEASEHOLD_STORE was not passed on", "PASSWORD=***", "--store")
                .doesNotContain("s3cret", "\tat ");
        assertThat(run.out()).isEmpty();
        assertThat(run.code()).isEqualTo(ExitCode.USAGE);
        assertThat(home.resolve("leasehold")).as("the default store").doesNotExist();
    }

    @Test
    @Tag("slow")
    @DisplayName("A run inside a run whose URL holds a password takes the store that it is given")
    void nestedRunWithAStore() {
        cli.with("LEASEHOLD_STORE", "withheld:redis://:***@cache");
        Run run = cli.run("run", "--key", "k", "--store", cli.storeUrl(), "--dry-run", "--", "true");
        assertThat(run.err()).contains("There is no database");
        assertThat(run.code()).isEqualTo(ExitCode.CONFIG);
    }
}
