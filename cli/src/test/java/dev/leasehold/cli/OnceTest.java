package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Database;
import dev.leasehold.servers.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("leasehold once")
class OnceTest {
    @TempDir
    private Path home;

    private Cli cli;
    private Path log;

    @BeforeEach
    void prepare() throws IOException {
        cli = new Cli(home);
        log = Files.createFile(home.resolve("log"));
    }

    private Run once(String script, String... options) {
        return cli.run(line(script, options));
    }

    /** The script has the path of the log as $0. */
    private String[] line(String script, String... options) {
        String[] line = new String[options.length + 8];
        line[0] = "once";
        line[1] = "--key";
        line[2] = "job";
        System.arraycopy(options, 0, line, 3, options.length);
        int at = options.length + 3;
        for (String word : List.of("--", "sh", "-c", script, log.toString())) {
            line[at++] = word;
        }
        return line;
    }

    private List<String> runs() throws IOException {
        return Files.readAllLines(log);
    }

    @Test
    @DisplayName("A command that was done is not run again: 0, and a line that says when and by whom")
    void isRunOnce() throws IOException {
        Run first = once("echo ran >> $0", "--owner", "cron 1");
        assertThat(first.code()).isZero();
        assertThat(first.err()).isEmpty();
        Run second = once("echo ran >> $0", "--report", home.resolve("report").toString());
        assertThat(second.code()).isZero();
        assertThat(second.err())
                .matches(
                        "leasehold: job was done at \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d by cron 1 \\(in .*\\)\n");
        assertThat(runs()).containsExactly("ran");
        assertThat(Files.readString(home.resolve("report"))).contains("\"outcome\":\"already_done\",\"exitCode\":0");
        assertThat(once("true", "-q").err()).isEmpty();
    }

    @Test
    @DisplayName("A command that failed is run again by the next caller")
    void aFailureIsNotKept() throws IOException {
        assertThat(once("echo ran >> $0; exit 7").code()).isEqualTo(7);
        assertThat(once("echo ran >> $0").code()).isZero();
        assertThat(once("echo ran >> $0").code()).isZero();
        assertThat(runs()).containsExactly("ran", "ran");
    }

    @Test
    @DisplayName("With --keep-failures later callers get the same code")
    void aFailureCanBeKept() throws IOException {
        assertThat(once("echo ran >> $0; exit 7", "--keep-failures").code()).isEqualTo(7);
        Run second = once("echo ran >> $0");
        assertThat(second.code()).isEqualTo(7);
        assertThat(second.err()).contains("job failed at ", "exit code 7");
        assertThat(runs()).containsExactly("ran");
    }

    @Test
    @DisplayName("While somebody is at it, others are busy")
    void isBusyMeanwhile() throws IOException {
        try (Run first = cli.start(line("echo ran >> $0; sleep 30"))) {
            Waiting.until(() -> log.toFile().length() > 0, () -> "the first run");
            Run second = once("echo ran >> $0", "-E", "75");
            assertThat(second.code()).isEqualTo(75);
            assertThat(second.err()).contains("job busy: ");
            first.signal("TERM");
            assertThat(first.code()).isEqualTo(143);
        }
        assertThat(runs()).containsExactly("ran");
        assertThat(once("echo ran >> $0").code()).isZero();
        assertThat(runs()).hasSize(2);
    }

    @Test
    @DisplayName("Who waits for somebody at it is told that it is done")
    void waitersGetTheAnswer() throws IOException {
        try (Run first = cli.start(line("echo ran >> $0; sleep 2"))) {
            Waiting.until(() -> log.toFile().length() > 0, () -> "the first run");
            Run second = once("echo ran >> $0", "--wait", "30s");
            assertThat(second.code()).isZero();
            assertThat(second.err()).contains("job was done at");
            assertThat(first.code()).isZero();
        }
        assertThat(runs()).hasSize(1);
    }

    @Test
    @DisplayName("A period gives each day its own run")
    void isRunOnceInAPeriod() throws IOException {
        assertThat(once("echo $LEASEHOLD_KEY >> $0", "--period", "day", "--zone", "UTC")
                        .code())
                .isZero();
        assertThat(once("echo $LEASEHOLD_KEY >> $0", "--period", "day", "--zone", "UTC")
                        .code())
                .isZero();
        assertThat(once("echo $LEASEHOLD_KEY >> $0", "--period", "365d").code()).isZero();
        assertThat(runs()).hasSize(2);
        assertThat(runs().get(0)).matches("job/daily UTC/\\d{4}-\\d\\d-\\d\\d");
    }

    @Test
    @DisplayName("A run whose guard was killed is run again when its lease is over")
    void aDeadRunnerIsReplaced() throws IOException {
        try (Run first = cli.start(line("echo ran >> $0; sleep 60", "--ttl", "2s"))) {
            Waiting.until(() -> log.toFile().length() > 0, () -> "the first run");
            first.kill();
        }
        assertThat(once("echo ran >> $0", "--wait", "20s").code()).isZero();
        assertThat(runs()).hasSize(2);
        assertThat(once("echo ran >> $0").err()).contains("job was done at");
    }

    @Test
    @DisplayName("A command that ran for too long is not done")
    void aTimeoutIsNotDone() throws IOException {
        assertThat(once("echo ran >> $0; sleep 60", "--max-runtime", "1s").code())
                .isEqualTo(124);
        assertThat(once("echo ran >> $0").code()).isZero();
        assertThat(runs()).hasSize(2);
    }

    @Test
    @DisplayName("Nonsense is wrong usage, and a command that is not there leaves nothing behind")
    void nonsenseIsRefused() throws IOException {
        assertThat(once("true", "--period", "fortnight").code()).isEqualTo(64);
        assertThat(once("true", "--zone", "UTC").code()).isEqualTo(64);
        assertThat(once("true", "--period", "day", "--zone", "Atlantis").code()).isEqualTo(64);
        assertThat(once("true", "--retention", "0").code()).isEqualTo(64);
        assertThat(cli.run("once", "--key", "job", "--", "no-such-command").code())
                .isEqualTo(127);
        assertThat(once("echo ran >> $0").code()).isZero();
    }

    @Test
    @DisplayName("What happened is in the history, and the answer in show")
    void theHistoryTells() {
        once("exit 3");
        once("true");
        once("true");
        Run history = cli.run("history", "job", "--json");
        assertThat(history.out().replaceAll("\\d+", "N"))
                .containsSubsequence("acquired", "released", "acquired", "settled", "skipped");
        assertThat(cli.run("show", "job").out()).contains("done", "ANSWER");
    }

    @Test
    @DisplayName("Of four at once on PostgreSQL one runs, and the others are told that it is done")
    void oneOfManyRunsOnPostgres() throws IOException {
        try (Database database = PostgresServer.shared(18).freshDatabase()) {
            cli.on(database);
            assertThat(cli.run("schema", "--apply").code()).isZero();
            List<Run> all = Stream.generate(() -> cli.start(line("echo ran >> $0; sleep 1", "--wait", "60s")))
                    .limit(4)
                    .toList();
            assertThat(all)
                    .allSatisfy(run -> assertThat(run.code()).as(run.err()).isZero());
            assertThat(all)
                    .filteredOn(run -> run.err().contains("job was done at"))
                    .hasSize(3);
        }
        assertThat(runs()).containsExactly("ran");
    }
}
