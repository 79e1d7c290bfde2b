package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@DisplayName("Signals to leasehold run")
class SignalsTest {
    @TempDir
    private Path home;

    private Cli cli;

    @BeforeEach
    void prepare() {
        cli = new Cli(home);
    }

    private Run start(String script) {
        return cli.start("run", "--key", "k", "--ttl", "60", "--", "sh", "-c", script);
    }

    @ParameterizedTest(name = "I03 {0} reaches the command, and its own code is passed on")
    @ValueSource(strings = {"TERM", "INT", "HUP", "USR1", "USR2"})
    void arePassedOn(String signal) {
        // In the background of a shell INT would be ignored, so the command is the shell itself.
        try (Run run = start("trap 'echo got it; exit 9' " + signal + "; echo started; while :; do sleep 0.1; done")) {
            run.awaitLines(1);
            run.signal(signal);
            assertThat(run.code()).isEqualTo(9);
            assertThat(run.out()).isEqualTo("started\ngot it\n");
        }
    }

    @Test
    @DisplayName("I03 The lease is given back only when the command has ended")
    void theLeaseIsKeptUntilTheEnd() {
        try (Run run = start("trap 'echo ending; sleep 4; echo ended; exit 9' TERM; echo started;"
                + " while :; do sleep 0.1; done")) {
            run.awaitLines(1);
            run.signal("TERM");
            run.awaitLines(2);
            assertThat(cli.run("run", "--key", "k", "--", "true").code()).isEqualTo(1);
            assertThat(run.out()).isEqualTo("started\nending\n");
            assertThat(run.code()).isEqualTo(9);
            assertThat(cli.run("run", "--key", "k", "--", "true").code()).isZero();
        }
    }

    @Test
    @DisplayName("I03 Grandchildren are signalled too, and are gone before the lease is given back")
    void reachGrandchildren() {
        // The grandchild does not care for TERM, and outlives its parent.
        try (Run run = cli.start(
                "run",
                "--key",
                "k",
                "--ttl",
                "60",
                "--grace",
                "1",
                "--",
                "sh",
                "-c",
                "(trap '' TERM; exec sleep 60) & echo $!; sleep 60 & echo $!; wait")) {
            List<String> pids = run.awaitLines(2);
            run.signal("TERM");
            assertThat(run.code()).isEqualTo(143);
            assertThat(pids).noneMatch(pid -> Processes.isRunning(Long.parseLong(pid)));
        }
    }

    @Test
    @DisplayName("I03 A second INT kills a command that does not end")
    void aSecondInterruptKills() {
        try (Run run = start("trap 'echo got it' INT; echo started; while :; do sleep 0.1; done")) {
            run.awaitLines(1);
            run.signal("INT");
            run.awaitLines(2);
            run.signal("INT");
            assertThat(run.code()).isEqualTo(137);
        }
    }

    @ParameterizedTest(name = "I03 {0} while it waits in line ends it at once with {1}, and no command is started")
    @CsvSource({"TERM, 143", "INT, 130", "HUP, 129"})
    void endTheWaiting(String signal, int code) {
        try (Run first = start("echo started; exec sleep 60")) {
            first.awaitLines(1);
            try (Run second = cli.start("run", "--key", "k", "--wait", "forever", "-v", "--", "echo", "no")) {
                Waiting.until(() -> second.err().contains("waiting"), () -> "somebody in line: " + second.err());
                long start = System.nanoTime();
                second.signal(signal);
                assertThat(second.code()).isEqualTo(code);
                assertThat(System.nanoTime() - start).isLessThan(3_000_000_000L);
                assertThat(second.out()).isEmpty();
            }
            first.signal("TERM");
            assertThat(first.code()).isEqualTo(143);
            // Whoever left the line is not handed the lease.
            assertThat(cli.run("run", "--key", "k", "--", "true").code()).isZero();
        }
    }

    @Test
    @DisplayName("I03 QUIT, which the JVM keeps for itself, neither ends the guard nor strands the command")
    void quitStrandsNobody() {
        try (Run run = start("echo started; sleep 3; echo ended")) {
            run.awaitLines(1);
            run.signal("QUIT");
            assertThat(run.code()).isZero();
            assertThat(run.out()).isEqualTo("started\nended\n");
        }
    }

    @Test
    @DisplayName("I03 A signal that is ignored, as under nohup, stays ignored by the command")
    void ignoredSignalsStayIgnored() {
        Run nohup = Shell.run(
                home,
                "trap '' HUP; "
                        + Shell.quoted(Cli.command("run", "--key", "k", "--", "sh", "-c", "kill -HUP $$; echo on")));
        assertThat(nohup.out()).isEqualTo("on\n");
    }

    @Test
    @DisplayName("A supervisor that is killed is replaced")
    void theSupervisorIsReplaced() {
        try (Run run = start("trap 'echo got it; exit 9' TERM; echo started; while :; do sleep 0.1; done")) {
            run.awaitLines(1);
            ProcessHandle first = supervisor(run, 0);
            first.destroyForcibly();
            supervisor(run, first.pid());
            run.signal("TERM");
            assertThat(run.code()).isEqualTo(9);
        }
    }

    /** That of this run, other than this one. */
    private static ProcessHandle supervisor(Run run, long otherThan) {
        AtomicReference<ProcessHandle> found = new AtomicReference<>();
        Waiting.until(
                () -> {
                    ProcessHandle.of(run.pid()).stream()
                            .flatMap(ProcessHandle::children)
                            .filter(process -> process.pid() != otherThan)
                            .filter(process ->
                                    Processes.commandLine(process.pid()).contains("leasehold-supervisor"))
                            .forEach(found::set);
                    return found.get() != null;
                },
                () -> "a supervisor");
        return found.get();
    }
}
