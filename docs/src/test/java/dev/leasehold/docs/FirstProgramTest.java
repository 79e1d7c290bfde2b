package dev.leasehold.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Database;
import dev.leasehold.servers.PostgresServer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Does what the README tells a new user to do: an empty Maven project with the dependencies and the first program as they
 * stand there. The modules come from a local repository of the test's own, everything else from the one of this build.
 */
@Tag("slow")
@DisplayName("The first program of the README")
class FirstProgramTest {
    private static final String README = Documents.read(Documents.ROOT.resolve("README.md"));
    private static final String DEPENDENCIES = first(README, "```xml\n(<properties>.*?</dependencies>)\n```");
    private static final String PARENT = Documents.read(Documents.ROOT.resolve("pom.xml"));
    private static final String URL = "sqlite:leases.db";
    private static final Path REPOSITORY =
            Path.of("target", "first-program", "repository").toAbsolutePath();

    @TempDir
    private Path project;

    /** Puts the modules where {@code ./mvnw install} puts them. */
    @BeforeAll
    static void install() throws IOException {
        install("leasehold-parent", Documents.ROOT, "pom");
        install("leasehold-core", Documents.ROOT.resolve("core"), "jar");
        install("leasehold-jdbc", Documents.ROOT.resolve("stores/jdbc"), "jar");
    }

    private static void install(String artifact, Path module, String packaging) throws IOException {
        String version = first(PARENT, "<version>([^<]+)</version>");
        Path folder = Files.createDirectories(
                REPOSITORY.resolve("dev/leasehold").resolve(artifact).resolve(version));
        String name = artifact + "-" + version;
        Files.copy(module.resolve("pom.xml"), folder.resolve(name + ".pom"), StandardCopyOption.REPLACE_EXISTING);
        if (packaging.equals("jar")) {
            Files.copy(
                    module.resolve("target").resolve(name + ".jar"),
                    folder.resolve(name + ".jar"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static String first(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher.group(1);
    }

    /** A plugin in the version that this build has already fetched. */
    private static String plugin(String artifact) {
        String version = first(PARENT, "<artifactId>" + artifact + "</artifactId>\\s*<version>([^<]+)</version>");
        return plugin(artifact, version);
    }

    private static String plugin(String artifact, String version) {
        String group = artifact.startsWith("exec") ? "org.codehaus.mojo" : "org.apache.maven.plugins";
        return "<plugin><groupId>" + group + "</groupId><artifactId>" + artifact + "</artifactId><version>" + version
                + "</version></plugin>";
    }

    private String run(String url) throws IOException, InterruptedException {
        return run(url, plugin("maven-compiler-plugin"));
    }

    private String run(String url, String compilerPlugin) throws IOException, InterruptedException {
        return run(url, compilerPlugin, DEPENDENCIES);
    }

    private String run(String url, String compilerPlugin, String dependencies)
            throws IOException, InterruptedException {
        String code =
                Documents.snippets(Documents.ROOT.resolve("README.md")).get(0).code();
        assertThat(code).contains('"' + URL + '"');
        Files.createDirectories(project.resolve(".mvn"));
        Path source = project.resolve(first(README, "Save it as `([^`]+)`"));
        Files.createDirectories(source.getParent());
        Files.writeString(source, code.replace(URL, url));
        Files.writeString(
                project.resolve(first(README, "into the `<project>` of `([^`]+)`")),
                "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>"
                        + "<groupId>org.example</groupId><artifactId>first</artifactId><version>1</version>"
                        + dependencies
                        + "<build><pluginManagement><plugins>" + plugin("maven-resources-plugin")
                        + compilerPlugin + plugin("exec-maven-plugin")
                        + "</plugins></pluginManagement></build></project>");
        Path output = project.resolve("output");
        // A dependency that no module of ours uses in this version is not there yet in a fresh clone.
        int exit = maven(output, "-o") == 0 ? 0 : maven(output, "-U");
        String said = Files.readString(output);
        assertThat(exit).as(said).isZero();
        return said;
    }

    private int maven(Path output, String mode) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(Documents.ROOT.resolve("mvnw").toString(), "-B", "-ntp", "-q", mode));
        command.add("-Dmaven.repo.local=" + REPOSITORY);
        command.add("-Dmaven.repo.local.tail=" + System.getProperty("leasehold.repository"));
        command.addAll(List.of("compile", "exec:java", "-Dexec.mainClass=First"));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process maven = builder.start();
        try {
            assertThat(maven.waitFor(2, TimeUnit.MINUTES)).isTrue();
        } finally {
            maven.destroy();
        }
        return maven.exitValue();
    }

    @Test
    @DisplayName("runs on SQLite as it stands there, and replays its answer the second time")
    void sqlite() throws Exception {
        assertThat(run(URL)).contains("one at a time", "my turn", "Ran[value=42 pages");
        assertThat(run(URL)).contains("one at a time", "my turn", "Replayed[value=42 pages");
        assertThat(project.resolve("leases.db")).exists();
        assertThat(project.resolve("leases.db-wal")).as("left open").doesNotExist();
    }

    @Test
    @DisplayName("compiles with the plugin that Maven 3.8 takes if the project names none")
    void oldMaven() throws Exception {
        assertThat(run(URL, plugin("maven-compiler-plugin", "3.1"))).contains("one at a time", "my turn");
    }

    @Test
    @DisplayName("runs on PostgreSQL with another URL")
    void postgres() throws Exception {
        try (Database database = PostgresServer.shared(18).freshDatabase()) {
            String separator = database.url().contains("?") ? "&" : "?";
            String url = database.url() + separator + "user=" + encoded(database.user()) + "&password="
                    + encoded(database.password());
            assertThat(run(url, plugin("maven-compiler-plugin"), withPostgres()))
                    .contains("one at a time", "my turn", "Ran[value=42 pages");
        }
    }

    /** The dependencies with PostgreSQL's driver in place of SQLite's, as the sentence below them says. */
    private static String withPostgres() {
        Matcher named = Pattern.compile("`([^:`]+):(postgresql):([^:`]+)` in place of\\s+`([^:`]+):([^:`]+):([^:`]+)`")
                .matcher(README);
        assertThat(named.find()).isTrue();
        String sqlite = dependency(named.group(4), named.group(5), named.group(6));
        assertThat(DEPENDENCIES).contains(sqlite);
        return DEPENDENCIES.replace(sqlite, dependency(named.group(1), named.group(2), named.group(3)));
    }

    private static String dependency(String group, String artifact, String version) {
        return "    <groupId>" + group + "</groupId>\n    <artifactId>" + artifact + "</artifactId>\n    <version>"
                + version + "</version>\n";
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
