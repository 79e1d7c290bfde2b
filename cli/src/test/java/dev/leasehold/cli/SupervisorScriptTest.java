package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The supervisor's script")
class SupervisorScriptTest {
    private static final int TIMES = 40;

    /** Nobody else is called so, or sleeps for so long. */
    private final String name = "supervisor-" + ProcessHandle.current().pid() + "-" + System.nanoTime();

    private final String time = ProcessHandle.current().pid() + "000.789";

    private Stream<ProcessHandle> leftBehind() {
        return ProcessHandle.allProcesses().filter(process -> {
            String command = Processes.commandLine(process.pid());
            return Processes.isRunning(process.pid()) && (command.contains(name) || command.contains(time));
        });
    }

    @AfterEach
    void end() {
        leftBehind().forEach(ProcessHandle::destroyForcibly);
    }

    @ParameterizedTest(name = "I04 leaves no timer behind that could signal a stranger: {0}")
    @ValueSource(strings = {"sh", "bash"})
    void timersEndWithIt(String shell) throws Exception {
        Process child = new ProcessBuilder("setsid", "sleep", "60").start();
        try {
            for (int i = 0; i < TIMES; i++) {
                // The end comes so soon after the beginning that the timer has hardly begun.
                tell(shell, "child " + child.pid() + " group\nlive " + time + " 1\nended\n");
            }
            assertThat(leftBehind()).isEmpty();
            assertThat(child.isAlive()).isTrue();
        } finally {
            child.destroyForcibly();
        }
    }

    private void tell(String shell, String words) throws IOException, InterruptedException {
        Process supervisor = new ProcessBuilder(shell, "-c", script(), name, "1").start();
        try (var in = supervisor.outputWriter(StandardCharsets.US_ASCII)) {
            in.write(words);
        }
        assertThat(supervisor.waitFor()).isZero();
    }

    private static String script() throws IOException {
        try (InputStream script = Supervisor.class.getResourceAsStream("supervisor.sh")) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
