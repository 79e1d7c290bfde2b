package dev.leasehold.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Lines for a shell, where a test needs what only a shell can set up. */
final class Shell {
    private Shell() {}

    static Run run(Path home, String line) {
        try {
            Path out = Files.createTempFile(home, "out", "");
            Path err = Files.createTempFile(home, "err", "");
            List<String> command = new ArrayList<>(Processes.DEFAULT_SIGNALS);
            command.addAll(List.of("sh", "-c", line));
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().put("XDG_STATE_HOME", home.toString());
            return new Run(builder.start(), out, err).awaitEnd();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String quoted(List<String> command) {
        return command.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }
}
