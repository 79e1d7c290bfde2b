package dev.leasehold.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script itself, in a copy of the source tree that has only what the script looks at. The jar leads to the classes
 * under test, and a stub stands for Maven: a real build inside this one would write to the same folders.
 */
@DisplayName("The script run")
@Timeout(90)
class RunScriptTest {
    private static final Map<String, String> ANY_PORT = Map.of("PORT", "0");
    private static final Path JAR = Path.of("apps/analysis-worker/target/analysis-worker.jar");

    @TempDir
    private Path home;

    @TempDir
    private Path elsewhere;

    private Path script;

    @BeforeEach
    void copy() throws IOException {
        script = home.resolve("apps/analysis-worker/run");
        for (String folder : List.of(
                "apps/analysis-worker/src/main",
                "apps/analysis-worker/target",
                "core/src/main",
                "stores/jdbc/src/main",
                "testing/firestore/src/main")) {
            Files.createDirectories(home.resolve(folder));
        }
        Files.copy(Path.of("run"), script);
        for (String file : List.of("pom.xml", "apps/analysis-worker/pom.xml")) {
            Files.writeString(home.resolve(file), "");
        }
        executable(script);
    }

    private static void executable(Path file) {
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    /** Its manifest names the main class and the class path of the tests. */
    private static void writeJar(Path jar) throws IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, Main.class.getName());
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        attributes.put(
                Attributes.Name.CLASS_PATH,
                Stream.of(path.split(File.pathSeparator, -1))
                        .map(entry -> Path.of(entry).toUri().toString())
                        .collect(Collectors.joining(" ")));
        try (OutputStream file = Files.newOutputStream(jar)) {
            new JarOutputStream(file, manifest).close();
        }
    }

    private void writeMaven(String commands) throws IOException {
        Path maven = home.resolve("mvnw");
        Files.writeString(maven, "#!/bin/sh\necho \"$@\" >> arguments\n" + commands + "\n");
        executable(maven);
    }

    private static void age(Path file, int seconds) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(seconds)));
    }

    @Test
    @DisplayName(
            "starts the worker from any directory, passes arguments and signals on, and builds nothing that is new")
    void starts() throws Exception {
        writeJar(home.resolve(JAR));
        writeMaven("exit 1");
        try (Child worker = Child.scriptIn(elsewhere, script, ANY_PORT)) {
            assertThat(worker.log().get(0).get("message").asString())
                    .contains(
                            elsewhere.toRealPath().resolve("analyses.firestore").toString());
            String id = worker.calls.create("The mill by the river is old.");
            assertThat(worker.calls.deliver(id).isDone()).isTrue();
            assertThat(worker.end()).as("the exit code of SIGTERM").isEqualTo(143);
        }
        Child.Ended wrong = Child.runScriptIn(elsewhere, script, List.of("--store", "foo"), ANY_PORT);
        assertThat(wrong.output()).startsWith("analysis-worker: The URL of the store begins with firestore: or jdbc:");
        assertThat(wrong.code()).isEqualTo(69);
        assertThat(home.resolve("arguments")).doesNotExist();
    }

    @Test
    @DisplayName("builds first if the jar is missing or older than a source, and not again after that")
    void builds() throws Exception {
        Path source = home.resolve("core/src/main/A.java");
        Files.writeString(source, "");
        age(source, 60);
        Path built = home.resolve("built.jar");
        writeJar(built);
        writeMaven("cp built.jar " + JAR + " && touch -t 200001010000 " + JAR);

        assertThat(help().output()).startsWith("analysis-worker: building, which takes a minute the first time ...");
        assertThat(Files.readString(home.resolve("arguments")))
                .contains("-pl apps/analysis-worker -am")
                .contains("-Dmaven.test.skip=true")
                .endsWith("package\n");
        assertThat(help().output()).doesNotContain("building");

        age(home.resolve(JAR), 120);
        assertThat(help().output()).startsWith("analysis-worker: building");
        assertThat(Files.readAllLines(home.resolve("arguments"))).hasSize(2);
    }

    private Child.Ended help() {
        Child.Ended ended = Child.runScriptIn(elsewhere, script, List.of("--help"), Map.of());
        assertThat(ended.code()).as(ended.output()).isZero();
        assertThat(ended.output()).contains("LEASEHOLD_STORE");
        return ended;
    }

    @Test
    @DisplayName("exits with 70 and names the log if the build fails")
    void failedBuild() throws Exception {
        writeMaven("echo no network; exit 1");
        Child.Ended ended = Child.runScriptIn(elsewhere, script, List.of(), ANY_PORT);
        Path log = home.toRealPath().resolve("target/analysis-worker-build.log");
        assertThat(ended.code()).isEqualTo(70);
        assertThat(ended.output()).endsWith("analysis-worker: the build failed; " + log + " says why.\n");
        assertThat(Files.readString(log)).contains("no network");
    }
}
