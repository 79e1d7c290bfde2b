package dev.leasehold.moc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** With the servers that the script "run" starts, as it starts them. */
@DisplayName("The README")
@Timeout(120)
class ReadmeTest {
    private static final Path README = Path.of("README.md");

    @TempDir
    private Path directory;

    private static String command(String name) {
        try {
            Matcher block = Pattern.compile("<!-- run: " + name + " -->\n```sh\n(.*?)```", Pattern.DOTALL)
                    .matcher(Files.readString(README));
            assertThat(block.find()).as(name).isTrue();
            return block.group(1);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Runs these commands in one shell, and gives what each wrote. */
    private List<String> run(Child instance, String... names) throws IOException, InterruptedException {
        String script = Stream.of(names).map(ReadmeTest::command).collect(Collectors.joining("echo; echo ---\n"));
        Process shell = new ProcessBuilder("sh", "-euc", script.replace("localhost:8080", instance.calls.address()))
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor()).as(output).isZero();
        return Stream.of(output.split("---\n", -1)).map(String::strip).toList();
    }

    private Child start() {
        List<String> command = Child.java(
                "-Xmx64m",
                "dev.leasehold.servers.WithServers",
                directory.resolve("moc-data").toString(),
                "postgres",
                "s3",
                "--");
        return Child.start(
                Stream.of(command, Child.application()).flatMap(List::stream).toList(), java.util.Map.of("PORT", "0"));
    }

    @Test
    @DisplayName("has commands that work as it says, and the servers that are started keep their data")
    void commands() throws Exception {
        String id;
        try (Child instance = start()) {
            assertThat(instance.output())
                    .contains("Search is off. Turn it on: ./apps/moc-instructions/run --with-search");
            List<String> written = run(instance, "declare", "again", "upload", "finalize", "finalize");
            id = written.get(0);
            assertThat(id).hasSize(36);
            assertThat(written.get(1)).contains("urn:leasehold:problem:title-taken", "\"status\":409");
            assertThat(written.get(2)).isEqualTo("200");
            assertThat(written.get(3)).contains("\"status\":\"finalized\"").doesNotContain("idempotent");
            assertThat(JsonMapper.shared()
                            .readTree(written.get(4))
                            .get("idempotent")
                            .asBoolean())
                    .isTrue();
            assertThat(instance.end()).as("the exit code of SIGTERM").isEqualTo(143);
        }
        try (Child instance = start()) {
            Reply again = instance.calls.finalizeOnce(id);
            assertThat(again.isFinalized() && again.isIdempotent())
                    .as(again.text())
                    .isTrue();
            assertThat(instance.end()).isEqualTo(143);
        }
    }

    @Test
    @DisplayName("shows code as it is in the sources")
    void code() throws IOException {
        StringBuilder sources = new StringBuilder();
        for (String file : List.of("Moc", "Finalizer")) {
            sources.append(Files.readString(Path.of("src/main/java/dev/leasehold/moc/" + file + ".java")));
        }
        List<String> shown = Pattern.compile("```java\n(.*?)\n```", Pattern.DOTALL)
                .matcher(Files.readString(README))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(shown)
                .hasSize(2)
                .allSatisfy(code ->
                        assertThat(sources.toString().replaceAll("\\s+", " ")).contains(code.replaceAll("\\s+", " ")));
    }

    @Test
    @DisplayName("and --help name every setting")
    void settings() throws IOException {
        String readme = Files.readString(README);
        Matcher names =
                Pattern.compile("\\b[A-Z0-9]+(?:_[A-Z]+)+\\b|\\bPORT\\b").matcher(Settings.HELP);
        while (names.find()) {
            assertThat(readme).contains(names.group());
        }
        assertThat(Settings.HELP).contains("FINALIZE_LOCK_TTL_MINUTES", "S3_BUCKET", "PORT");
    }
}
