package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In a real terminal, which is a pane of tmux with a server of its own. */
@Tag("slow")
@DisplayName("leasehold run at a terminal")
class TerminalTest {
    @TempDir
    private Path home;

    private String socket;

    @BeforeEach
    void prepare() {
        socket = home.resolve("tmux").toString();
    }

    @AfterEach
    void end() throws IOException, InterruptedException {
        tmux("kill-server");
    }

    private void tmux(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("tmux", "-S", socket, "-f", "/dev/null"));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectOutput(home.resolve("tmux.log").toFile());
        builder.environment().put("XDG_STATE_HOME", home.toString());
        builder.environment().remove("TMUX");
        assertThat(builder.start().waitFor()).as("tmux %s", command).isZero();
    }

    /** Runs a script under a lease in the terminal; its exit code is in a file afterwards. */
    private void start(String script, String... options) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("run", "--key", "k"));
        words.addAll(List.of(options));
        words.addAll(List.of("--", "sh", "-c", "cd '" + home + "'; " + script));
        Path file = Files.writeString(
                home.resolve("start.sh"),
                "set -m\n" // As at a prompt: the keys are for the command and not for this shell.
                        + Shell.quoted(Cli.command(words.toArray(String[]::new))) + "\necho $? > '" + home
                        + "/code.new'; mv '"
                        + home + "/code.new' '" + home + "/code'\nsleep 60\n");
        tmux("new-session", "-d", "-x", "100", "-y", "30", "sh " + file);
    }

    private String await(String name) throws IOException {
        Path file = home.resolve(name);
        Waiting.until(() -> Files.exists(file), () -> "the file " + name);
        return Files.readString(file).strip();
    }

    @Test
    @DisplayName("I03 Ctrl-C reaches the command once, and its own code is passed on")
    void controlC() throws IOException, InterruptedException {
        start("trap 'echo INT >> ints; sleep 1; exit 11' INT; touch started; while :; do sleep 0.1; done");
        await("started");
        tmux("send-keys", "C-c");
        assertThat(await("code")).isEqualTo("11");
        assertThat(await("ints")).isEqualTo("INT");
    }

    @Test
    @DisplayName("I03 Ctrl-C ends the waiting in line: 130")
    void controlCWhileWaiting() throws IOException, InterruptedException {
        Cli cli = new Cli(home);
        try (Run first = cli.start("run", "--key", "k", "--", "sh", "-c", "echo started; exec sleep 60")) {
            first.awaitLines(1);
            start("true", "--wait", "forever");
            Waiting.until(() -> cli.waiters("k") == 1, () -> "somebody in line");
            tmux("send-keys", "C-c");
            assertThat(await("code")).isEqualTo("130");
        }
    }

    @Test
    @DisplayName("I09 The command has the terminal: it can ask, read an answer, and open /dev/tty")
    void prompts() throws IOException, InterruptedException {
        start("test -t 0 && test -t 1 && touch tty; printf 'name? ' > /dev/tty; touch asked; read name < /dev/tty;"
                + " echo \"$name\" > name.new; mv name.new name");
        await("asked");
        tmux("send-keys", "ana", "Enter");
        assertThat(await("name")).isEqualTo("ana");
        assertThat(await("code")).isEqualTo("0");
        assertThat(home.resolve("tty")).exists();
    }

    @Test
    @DisplayName("I02 At a terminal too, a command whose lease is lost is ended, with its descendants")
    void descendantsAreEnded() throws IOException, InterruptedException {
        Cli cli = new Cli(home);
        start("sleep 60 & echo $! > pid.new; mv pid.new pid; wait", "--ttl", "3");
        long descendant = Long.parseLong(await("pid"));
        cli.takeAway("k");
        assertThat(await("code")).isEqualTo("79");
        assertThat(Processes.isRunning(descendant)).isFalse();
    }

    @Test
    @DisplayName("I05 Ctrl-Z stops the command with its guard, and the command is dead when the lease is over")
    void controlZ() throws IOException, InterruptedException {
        start("echo $$ > pid.new; mv pid.new pid; while :; do sleep 0.1; done", "--ttl", "5");
        long child = Long.parseLong(await("pid"));
        tmux("send-keys", "C-z");
        Processes.awaitEnd(child);
    }
}
