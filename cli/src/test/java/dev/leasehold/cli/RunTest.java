package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Stores;
import dev.leasehold.store.Tenure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("leasehold run")
class RunTest {
    @TempDir
    private Path home;

    private Cli cli;

    @BeforeEach
    void prepare() {
        cli = new Cli(home);
    }

    @Test
    @Tag("CRON-5")
    @DisplayName("Any command runs with nothing set up, in one line")
    void worksWithNothingSetUp() throws IOException {
        Run run = cli.run("run", "--key", "hello", "--", "echo", "hi");
        assertThat(run.code()).isZero();
        assertThat(run.out()).isEqualTo("hi\n");
        assertThat(run.err()).isEmpty();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("leasehold"))))
                .isEqualTo("rwx------");
    }

    @ParameterizedTest(name = "I01 The command''s exit code {0} is passed on unchanged")
    @ValueSource(ints = {1, 7, 79, 255})
    void passesOnTheExitCode(int code) {
        assertThat(cli.run("run", "--key", "k", "--", "sh", "-c", "exit " + code)
                        .code())
                .isEqualTo(code);
    }

    @ParameterizedTest(name = "I01 A command that {0} killed gives 128 and its number")
    @Tag("slow")
    @CsvSource({"KILL, 137", "TERM, 143"})
    void tellsTheSignalThatKilledTheCommand(String signal, int code) {
        assertThat(cli.run("run", "--key", "k", "--", "sh", "-c", "kill -s " + signal + " $$")
                        .code())
                .isEqualTo(code);
    }

    @Test
    @DisplayName("I08 Key, fence, owner, run and deadline are in the environment, the way into the store is not")
    void tellsTheCommandOfItsLease() {
        Run run = cli.with("LEASEHOLD_STORE_PASSWORD", "s3cret")
                .with("LEASEHOLD_FENCE", "1")
                .with("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .run("run", "--key", "食事/1", "--owner", "ana", "--", "env");
        assertThat(run.out().lines())
                .contains("LEASEHOLD_KEY=食事/1", "LEASEHOLD_OWNER=ana", "LEASEHOLD_TTL=300")
                .contains("TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .anyMatch(line -> line.matches("LEASEHOLD_FENCE=\\d{16}"))
                .anyMatch(line -> line.matches("LEASEHOLD_RUN_ID=[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"))
                .anyMatch(line -> line.startsWith("LEASEHOLD_EXPIRES_AT=20"))
                .noneMatch(line -> line.contains("s3cret"));
    }

    @Test
    @Tag("slow")
    @Tag("CRON-4")
    @DisplayName("The TTL is 300 s unless said otherwise")
    void livesForFiveMinutes() throws IOException {
        Run run = cli.start("run", "--key", "k", "--", "sh", "-c", "echo $LEASEHOLD_EXPIRES_AT; exec sleep 60");
        try (run;
                LeaseStore store = open(run)) {
            LeaseSnapshot record = store.find(Key.of("k")).orElseThrow();
            assertThat(record.record().tenure()).extracting(Tenure::ttlMicros).isEqualTo(300_000_000L);
            assertThat(record.remaining()).isBetween(Duration.ofSeconds(250), Duration.ofSeconds(300));
            assertThat(Instant.parse(run.out().strip()))
                    .isBetween(Instant.now().plusSeconds(250), Instant.now().plusSeconds(300));
        }
    }

    /** Once the command is under way. */
    private LeaseStore open(Run run) {
        run.awaitLines(1);
        return Stores.open(cli.storeUrl());
    }

    @Test
    @Tag("slow")
    @DisplayName("I09 Standard input, output and error are the command's own")
    void leavesTheStreamsAlone() {
        Run run = cli.reading("a\0b\nlast line without end")
                .run("run", "--key", "k", "--", "sh", "-c", "cat; echo to error >&2");
        assertThat(run.out()).isEqualTo("a\0b\nlast line without end");
        assertThat(run.err()).isEqualTo("to error\n");
    }

    @Test
    @Tag("slow")
    @DisplayName("I09 With --no-stdin the command reads nothing")
    void givesNoInputIfNotWanted() {
        Run run = cli.reading("something").run("run", "--key", "k", "--no-stdin", "--", "cat");
        assertThat(run.out()).isEmpty();
        assertThat(run.code()).isZero();
    }

    @Test
    @Tag("slow")
    @Tag("CRON-5")
    @DisplayName("Arguments reach the command as they are, whatever they look like")
    void leavesArgumentsAlone() {
        Run run = cli.run(
                "run",
                "--key",
                "k",
                "--",
                "printf",
                "<%s>",
                "@file",
                "--",
                "-k",
                "",
                "a b",
                "${env:HOME}",
                "*",
                "食",
                "--help");
        assertThat(run.out()).isEqualTo("<@file><--><-k><><a b><${env:HOME}><*><食><--help>");
    }

    @Test
    @Tag("slow")
    @DisplayName("The command may follow without --, and may be a line for the shell")
    void acceptsACommandWithoutDashes() {
        assertThat(cli.run("run", "-k", "k", "echo", "--ttl", "x").out()).isEqualTo("--ttl x\n");
        assertThat(cli.run("run", "-k", "k", "--shell", "--", "echo a && echo b")
                        .out())
                .isEqualTo("a\nb\n");
    }

    @Test
    @Tag("part-of:CRON-1")
    @DisplayName("The lease is given back at a normal end: the next run starts at once")
    void givesBackAtTheEnd() {
        assertThat(cli.run("run", "--key", "k", "--", "false").code()).isEqualTo(1);
        assertThat(cli.run("run", "--key", "k", "--", "echo", "again").out()).isEqualTo("again\n");
    }

    @Test
    @Tag("slow")
    @Tag("CRON-2")
    @DisplayName("A duplicate run does not run, exits 1, and says who has it, since when and for how long still")
    void refusesADuplicate() throws IOException {
        try (Run first = cli.start("run", "--key", "fetch_news", "--", "sh", "-c", "echo started; exec sleep 60")) {
            first.awaitLines(1);
            Path report = home.resolve("report.json");
            Run second = cli.run("run", "--key", "fetch_news", "--report", report.toString(), "--", "echo", "twice");
            assertThat(second.code()).isEqualTo(1);
            assertThat(second.out()).isEmpty();
            assertThat(second.err())
                    .matches("leasehold: fetch_news busy: \\S+ pid " + first.pid()
                            + " since \\d\\d:\\d\\d:\\d\\d \\([0-9.ms]+\\), 4m\\d+s left, fence \\d{16}\n");
            assertThat(Files.readString(report))
                    .contains("\"outcome\":\"busy\",\"exitCode\":1,\"key\":\"fetch_news\"")
                    .contains("pid " + first.pid() + "\",\"fence\":");
            assertThat(cli.run("run", "--key", "fetch_news", "-E", "75", "-q", "--", "true"))
                    .returns(75, Run::code)
                    .returns("", Run::err);
            assertThat(cli.run("run", "--key", "fetch_news", "--skip-ok", "--", "true")
                            .code())
                    .isZero();
            assertThat(cli.run("run", "--key", "other", "--", "true").code()).isZero();
            assertThat(cli.with("LEASEHOLD_BUSY_EXIT_CODE", "76")
                            .run("run", "--key", "fetch_news", "--", "true")
                            .code())
                    .isEqualTo(76);
        }
    }

    @Test
    @Tag("slow")
    @DisplayName("A duplicate that may wait starts when the first has ended")
    void waitsInLine() {
        try (Run first = cli.start("run", "--key", "k", "--", "sh", "-c", "echo started; sleep 3; echo ended")) {
            first.awaitLines(1);
            Run second = cli.run("run", "--key", "k", "--wait", "30s", "-v", "--", "echo", "second");
            assertThat(second).returns(0, Run::code).returns("second\n", Run::out);
            assertThat(second.err()).isEqualTo("leasehold: k is held by somebody else: waiting\n");
            assertThat(first.out()).isEqualTo("started\nended\n");
        }
    }

    @Test
    @Tag("slow")
    @DisplayName("With --at-least the key stays closed although the command has ended")
    void keepsTheKeyClosed() {
        assertThat(cli.run("run", "--key", "k", "--at-least", "1h", "--", "true")
                        .code())
                .isZero();
        Run second = cli.run("run", "--key", "k", "--", "true");
        assertThat(second.code()).isEqualTo(1);
        assertThat(second.err()).matches("leasehold: k closed: it ran a short while ago, 59m\\d+s left\n");
    }

    @Test
    @Tag("slow")
    @DisplayName("A command that takes too long is ended: 124")
    void endsWhatTakesTooLong() throws IOException {
        Path report = home.resolve("report.json");
        Run run = cli.run(
                "run",
                "--key",
                "k",
                "--max-runtime",
                "500ms",
                "--report",
                report.toString(),
                "--",
                "sh",
                "-c",
                "trap 'echo got TERM; exit 3' TERM; sleep 60 & wait");
        assertThat(run).returns(ExitCode.TIMEOUT, Run::code).returns("got TERM\n", Run::out);
        assertThat(Files.readString(report))
                .contains("\"outcome\":\"timeout\",\"exitCode\":124")
                .contains("\"childExitCode\":3");
        assertThat(cli.run("run", "--key", "k", "--", "true").code()).isZero();
    }

    @Test
    @Tag("slow")
    @DisplayName("With --json what happens is told on standard error, an object a line")
    void tellsProgramsWhatHappens() {
        Run run = cli.run("run", "--key", "k", "--json", "--", "echo", "out");
        assertThat(run.out()).isEqualTo("out\n");
        assertThat(run.err().lines()).allMatch(line -> line.startsWith("{\"event\":\"") && line.endsWith("}"));
        assertThat(run.err().lines().map(line -> line.split("\"", -1)[3]))
                .containsExactly("lock:acquired", "run:started", "lock:released", "run:ended");
        assertThat(run.err()).contains("\"outcome\":\"ran\",\"exitCode\":0,\"key\":\"k\"");
    }

    @Test
    @Tag("slow")
    @DisplayName("A dry run says what would be done and does nothing")
    void tellsWhatItWouldDo() {
        Run run = cli.run("run", "--key", "k", "--dry-run", "--", "echo", "out");
        assertThat(run.code()).isZero();
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("would run: echo out");
        try (LeaseStore store = Stores.open(cli.storeUrl())) {
            assertThat(store.find(Key.of("k"))).isEmpty();
        }
    }
}
