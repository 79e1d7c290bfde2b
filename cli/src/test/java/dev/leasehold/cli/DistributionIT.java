package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("slow")
@DisplayName("The distribution")
class DistributionIT {
    private static final String[] HELLO = {"run", "--key", "hello", "--", "echo", "hi"};

    @TempDir
    private Path state;

    @Test
    @DisplayName("runs a command from a directory with spaces")
    void runs() {
        assertHello(Installed.into(state.resolve("two words")).cli(state).run(HELLO));
    }

    @Test
    @DisplayName("runs through links to it, relative ones too")
    void runsThroughLinks() throws IOException {
        Path absolute = Files.createSymbolicLink(
                state.resolve("one"), Installed.shared().launcher());
        Path relative = Files.createSymbolicLink(state.resolve("two"), Path.of("one"));
        assertThat(Shell.run(state, "'" + absolute + "' run --key a -- echo hi").out())
                .isEqualTo("hi\n");
        assertThat(Shell.run(state, "cd '" + state + "' && ./two run --key a -- echo hi")
                        .out())
                .isEqualTo("hi\n");
        assertThat(relative).isSymbolicLink();
    }

    @Test
    @Tag("CRON-5")
    @DisplayName("has enough of an environment in what cron gives: arguments beyond ASCII arrive, LC_ALL is not ours")
    void cronsEnvironmentIsEnough() {
        Run run = Shell.run(
                state,
                "env -i HOME='" + state + "' PATH=/usr/bin:/bin SHELL=/bin/sh '"
                        + Installed.shared().launcher()
                        + "' run --key 'ключ 鍵' -- sh -c 'echo \"$LEASEHOLD_KEY ${LC_ALL-unset}\"'");
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("ключ 鍵 unset\n");
        assertThat(state.resolve(".local/state/leasehold/leases.db")).isRegularFile();
    }

    @Test
    @Tag("CRON-5")
    @DisplayName("runs a command in any language from one line in cron's environment")
    void anyLanguage() throws IOException {
        Path awk = Files.writeString(state.resolve("job"), "#!/usr/bin/awk -f\nBEGIN { print \"awk\" }\n");
        assertThat(awk.toFile().setExecutable(true)).isTrue();
        Path java = Files.writeString(
                state.resolve("Job.java"),
                "class Job { public static void main(String[] args) { System.out.println(\"java\"); } }");
        Map<String, String> commands = Map.of(
                "sh", "echo sh", "awk", awk.toString(), "java", System.getProperty("java.home") + "/bin/java " + java);
        commands.forEach((language, command) -> {
            Run run = Shell.run(
                    state,
                    "env -i HOME='" + state + "' PATH=/usr/bin:/bin SHELL=/bin/sh '"
                            + Installed.shared().launcher() + "' run --key " + language + " -- " + command);
            assertThat(run.out()).as(run.err()).isEqualTo(language + "\n");
            assertThat(run.code()).isZero();
        });
    }

    @Test
    @DisplayName("loads its classes from the archive that its first run made")
    void loadsFromTheArchive() throws IOException {
        Installed installed = Installed.shared();
        installed.cli(state).run(HELLO);
        Path log = state.resolve("classes.log");
        installed
                .cli(state)
                .with("LEASEHOLD_JAVA_OPTIONS", "-Xlog:class+load:file=" + log)
                .run(HELLO);
        assertThat(installed.classes()).isNotEmpty();
        assertThat(Files.readString(log))
                .contains("dev.leasehold.cli.Guard source: shared objects file")
                .contains("org.sqlite.JDBC source: shared objects file");
    }

    @Test
    @DisplayName("unpacks no library of SQLite at a start")
    void unpacksNothing() throws IOException {
        Path empty = Files.createDirectory(state.resolve("tmp"));
        Path watch = state.resolve("maps");
        Run run = Installed.shared()
                .cli(state)
                .with("LEASEHOLD_JAVA_OPTIONS", "-Djava.io.tmpdir=" + empty)
                .run(
                        "run",
                        "--key",
                        "k",
                        "--shell",
                        "--",
                        "cat /proc/$PPID/maps > '" + watch + "'; ls -A '" + empty + "'");
        assertThat(run.out()).isEmpty();
        assertThat(Files.readString(watch)).contains("/lib/native/").contains("libsqlitejdbc.so");
    }

    @Test
    @DisplayName("passes over an archive that does not fit, without a word")
    void passesOverABadArchive() throws IOException {
        Installed installed = Installed.into(state.resolve("own copy"));
        installed.cli(state).run(HELLO);
        assertThat(installed.classes()).hasSize(1);
        Files.writeString(installed.classes().get(0), "This is no archive.\n".repeat(1_000));
        assertHello(installed.cli(state).run(HELLO));
    }

    @Test
    @DisplayName("does without an archive while somebody else makes it, and makes it if that one died")
    void doesWithoutAnArchive() throws IOException {
        Installed installed = Installed.into(state.resolve("own copy"));
        Path claim = installed.home().resolve("lib/.training");
        Files.writeString(claim, ProcessHandle.current().pid() + "\n");
        assertHello(installed.cli(state).run(HELLO));
        assertThat(installed.classes()).isEmpty();

        Files.writeString(claim, "999999999\n");
        assertHello(installed.cli(state).run(HELLO));
        assertHello(installed.cli(state).run(HELLO));
        assertThat(installed.classes()).hasSize(1);
        assertThat(claim).doesNotExist();
    }

    @Test
    @DisplayName("passes over a JAVA_HOME that is too old")
    void passesOverAnOldJava() throws IOException {
        Path old = Files.createDirectories(state.resolve("old/bin")).getParent();
        Files.writeString(old.resolve("release"), "JAVA_VERSION=\"11.0.2\"\n");
        Path java = Files.writeString(old.resolve("bin/java"), "#!/bin/sh\nexit 7\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        assertHello(Installed.shared()
                .cli(state)
                .with("JAVA_HOME", old.toString())
                .with("PATH", System.getProperty("java.home") + "/bin:/usr/bin:/bin")
                .run(HELLO));
    }

    /** Those that this machine has; the one that runs the tests is always there. */
    static Stream<Path> javas() throws IOException {
        Path system = Path.of("/usr/lib/jvm");
        try (Stream<Path> installed = Files.isDirectory(system) ? Files.list(system) : Stream.empty()) {
            Stream<Path> others =
                    installed.toList().stream().filter(home -> Files.isExecutable(home.resolve("bin/java")));
            return Stream.concat(Stream.of(Path.of(System.getProperty("java.home"))), others)
                    .distinct();
        }
    }

    @ParameterizedTest
    @MethodSource("javas")
    @DisplayName("runs with every Java on this machine, and says nothing of its own, the first time and later")
    void runsWithEveryJava(Path java) {
        Cli cli = Installed.shared().cli(state).with("JAVA_HOME", java.toString());
        assertHello(cli.run(HELLO));
        assertHello(cli.run(HELLO));
    }

    @Test
    @DisplayName("has a licence, a manual page, and completion that the shell accepts")
    void isComplete() {
        Path home = Installed.shared().home();
        assertThat(home.resolve("LICENSE")).isRegularFile();
        assertThat(home.resolve("README.md")).isRegularFile();
        assertThat(home.resolve("share/man/man1/leasehold.1")).content().startsWith(".TH \"LEASEHOLD\" \"1\"");
        assertThat(home.resolve("share/zsh/site-functions/_leasehold"))
                .content()
                .startsWith("#compdef leasehold");
        assertThat(home.resolve("share/fish/vendor_completions.d/leasehold.fish"))
                .content()
                .contains("-c leasehold");
        Run bash = Shell.run(
                state,
                "cd '" + home
                        + "' && bash -c '. share/bash-completion/completions/leasehold && complete -p leasehold'");
        assertThat(bash.err()).isEmpty();
        assertThat(bash.out()).startsWith("complete ");
    }

    private static void assertHello(Run hello) {
        assertThat(hello.err()).isEmpty();
        assertThat(hello.out()).isEqualTo("hi\n");
        assertThat(hello.code()).isZero();
    }
}
