package dev.leasehold.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("The README")
@Timeout(60)
class ReadmeTest {
    private static final Path README = Path.of("README.md");

    @TempDir
    private Path directory;

    private static String command(String name) throws IOException {
        Matcher block = Pattern.compile("<!-- run: " + name + " -->\n```sh\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(README));
        assertThat(block.find()).as(name).isTrue();
        return block.group(1);
    }

    private static String run(String command, String port, String id) throws IOException, InterruptedException {
        ProcessBuilder shell = new ProcessBuilder("sh", "-c", command.replace("localhost:8080", "localhost:" + port));
        shell.environment().put("ID", id);
        shell.redirectError(ProcessBuilder.Redirect.INHERIT);
        Process process = shell.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(command).isZero();
        return output;
    }

    @Test
    @DisplayName("has commands that work as it says")
    void commands() throws Exception {
        // Without a store named, as the README starts it.
        try (Child instance = Child.startIn(directory, Map.of("PORT", "0"))) {
            String port = Integer.toString(instance.calls.port);
            String id = run(command("create"), port, "").strip();
            assertThat(instance.calls.analysis(id).member("status")).isEqualTo("PENDING");
            assertThat(run(command("task"), port, id)).contains("\n{\"status\":\"done\"}");
            assertThat(run(command("task"), port, id))
                    .contains("\n{\"reason\":\"already_finished\",\"status\":\"skipped\"}");
            String shown = Files.readString(README)
                    .replaceAll("(?s).*```json\n(.*?)\n```.*", "$1")
                    .replace("…", id);
            assertThat(JsonMapper.shared().readTree(run(command("read"), port, id)))
                    .isEqualTo(JsonMapper.shared().readTree(shown));
        }
    }

    @Test
    @DisplayName("shows code as it is in the sources")
    void code() throws IOException {
        StringBuilder sources = new StringBuilder();
        for (String file : List.of("FirestoreAnalyses", "Analysis", "AnalysisTasks")) {
            sources.append(Files.readString(Path.of("src/main/java/dev/leasehold/analysis/" + file + ".java")));
        }
        List<String> shown = Pattern.compile("```java\n(.*?)\n```", Pattern.DOTALL)
                .matcher(Files.readString(README))
                .results()
                .flatMap(block -> Stream.of(block.group(1).split("\n\n", -1)))
                .toList();
        assertThat(shown)
                .hasSize(4)
                .allSatisfy(code ->
                        assertThat(sources.toString().replaceAll("\\s+", " ")).contains(code.replaceAll("\\s+", " ")));
    }

    @Test
    @DisplayName("and --help name every setting")
    void settings() throws IOException {
        String readme = Files.readString(README);
        Matcher names = Pattern.compile("\\b[A-Z]+(?:_[A-Z]+)+\\b|\\bPORT\\b").matcher(Settings.HELP);
        while (names.find()) {
            assertThat(readme).contains(names.group());
        }
        assertThat(Settings.HELP).contains("TASK_OIDC_EMAIL", "LEASEHOLD_STORE_PASSWORD", "PORT");
    }
}
