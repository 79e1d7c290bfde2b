package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What people read first. {@code -Dupdate=true} writes the files anew; look at what changed before it is committed. */
@DisplayName("Help")
class HelpTest {
    private static final Path GOLDEN = Path.of("src/test/resources/dev/leasehold/cli/help");

    static Stream<String> commands() {
        return Main.commandLine().getSubcommands().keySet().stream();
    }

    @ParameterizedTest(name = "leasehold {0} --help")
    @MethodSource("commands")
    void everyCommandHasItsHelp(String command) throws IOException {
        Answer answer = Answer.of(command, "--help");
        assertThat(answer.code()).isZero();
        assertThat(answer.out()).contains("Usage: leasehold " + command, "For example:");
        compare(command, answer.out());
    }

    @Test
    @DisplayName("leasehold --help")
    void theWholeHasItsHelp() throws IOException {
        Answer answer = Answer.of("--help");
        assertThat(answer.code()).isZero();
        compare("leasehold", answer.out());
    }

    private static void compare(String name, String text) throws IOException {
        Path file = GOLDEN.resolve(name + ".txt");
        if (Boolean.getBoolean("update")) {
            Files.createDirectories(GOLDEN);
            Files.writeString(file, text);
        }
        assertThat(text).isEqualTo(Files.readString(file));
    }
}
