package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Database;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards and stores that go away under a command. Whatever happens, two commands never run at once. */
@Tag("slow")
@DisplayName("A command whose lease ends under it")
class LossTest {
    /** Writes the time down again and again, and to a second file when it is told to end. */
    private static final String BEATS = "trap 'date +%s%N >> term' TERM; date +%s%N >> beats; echo $$;"
            + " while :; do date +%s%N >> beats; sleep 0.05; done";

    @TempDir
    private Path home;

    private Cli cli;

    @BeforeEach
    void prepare() {
        cli = new Cli(home);
    }

    private String in(String script) {
        return "cd '" + home + "'; " + script;
    }

    private long lastBeat() throws IOException {
        List<String> beats = Files.readAllLines(home.resolve("beats"));
        return Long.parseLong(beats.get(beats.size() - 1));
    }

    @Test
    @DisplayName("I02 is told by TERM, with all it started, and gives 79")
    void isEndedWhenTheLeaseIsTakenAway() throws IOException {
        Path report = home.resolve("report.json");
        try (Run run = cli.start(
                "run",
                "--key",
                "k",
                "--ttl",
                "3",
                "--report",
                report.toString(),
                "--",
                "sh",
                "-c",
                "trap 'echo got TERM; exit 4' TERM; sleep 60 & echo $!; wait")) {
            long grandchild = Long.parseLong(run.awaitLines(1).get(0));
            cli.takeAway("k");
            assertThat(run.code()).isEqualTo(ExitCode.LOST);
            assertThat(run.out()).endsWith("got TERM\n");
            assertThat(run.err()).contains("leasehold: k: the lease is lost");
            assertThat(Processes.isRunning(grandchild)).isFalse();
            assertThat(Files.readString(report)).contains("\"outcome\":\"lost\",\"exitCode\":79");
        }
    }

    @Test
    @DisplayName("I02 is killed after the grace if it ignores TERM")
    void isKilledIfItIgnoresTerm() {
        try (Run run = cli.start(
                "run",
                "--key",
                "k",
                "--ttl",
                "3",
                "--grace",
                "500ms",
                "--",
                "sh",
                "-c",
                "trap '' TERM; echo $$; while :; do sleep 0.1; done")) {
            long child = Long.parseLong(run.awaitLines(1).get(0));
            cli.takeAway("k");
            assertThat(run.code()).isEqualTo(ExitCode.LOST);
            assertThat(Processes.isRunning(child)).isFalse();
        }
    }

    @Test
    @DisplayName("I02 goes on with --on-lost warn, and its own code is passed on")
    void goesOnIfOnlyWarned() {
        try (Run run = cli.start(
                "run",
                "--key",
                "k",
                "--ttl",
                "2",
                "--on-lost",
                "warn",
                "--",
                "sh",
                "-c",
                "echo started; sleep 4; exit 6")) {
            run.awaitLines(1);
            cli.takeAway("k");
            assertThat(run.code()).isEqualTo(6);
            assertThat(run.err()).contains("the command goes on");
        }
    }

    @Test
    @DisplayName("I04 dies with a guard that is killed by kill -9, and so does all it started")
    void diesWithItsGuard() {
        try (Run run =
                cli.start("run", "--key", "k", "--ttl", "30", "--", "sh", "-c", "echo $$; sleep 60 & echo $!; wait")) {
            List<String> pids = run.awaitLines(2);
            run.kill();
            pids.forEach(pid -> Processes.awaitEnd(Long.parseLong(pid)));
        }
    }

    @Test
    @DisplayName("I04 dies with its guard also if it and its children ignore TERM")
    void diesWithItsGuardWhateverItIgnores() {
        try (Run run = cli.start(
                "run",
                "--key",
                "k",
                "--ttl",
                "30",
                "--grace",
                "1",
                "--",
                "sh",
                "-c",
                "trap '' TERM; sleep 60 & echo $!; echo $$; while :; do sleep 0.1; done")) {
            List<String> pids = run.awaitLines(2);
            run.kill();
            pids.forEach(pid -> Processes.awaitEnd(Long.parseLong(pid)));
        }
    }

    @ParameterizedTest(
            name = "W1 A killed guard''s lease ends by its TTL, not before, and the old command is dead by then: {0}")
    @ValueSource(strings = {"sqlite", "file"})
    void theLeaseOfAKilledGuardEndsByItsTtl(String kind) throws IOException {
        if (kind.equals("file")) {
            cli.with("LEASEHOLD_STORE", "file:" + home.resolve("leases"));
        }
        try (Run run = cli.start("run", "--key", "k", "--ttl", "6", "--", "sh", "-c", in(BEATS))) {
            run.awaitLines(1);
            run.kill();
            assertThat(cli.run("run", "--key", "k", "--", "true").code()).isEqualTo(1);
            Run next = cli.run("run", "--key", "k", "--wait", "30", "--", "date", "+%s%N");
            assertThat(next.code()).isZero();
            assertThat(lastBeat()).isLessThan(Long.parseLong(next.out().strip()));
        }
    }

    @Test
    @DisplayName("I05 is dead before another starts if its guard is stopped past its TTL")
    void isDeadBeforeAnotherStarts() throws IOException {
        try (Run run = cli.start("run", "--key", "k", "--ttl", "6", "--grace", "1", "--", "sh", "-c", in(BEATS))) {
            long child = Long.parseLong(run.awaitLines(1).get(0));
            run.stop();
            Run next = cli.run("run", "--key", "k", "--wait", "30", "--", "date", "+%s%N");
            assertThat(next.code()).as(next::err).isZero();
            assertThat(Processes.isRunning(child)).isFalse();
            assertThat(lastBeat()).isLessThan(Long.parseLong(next.out().strip()));
            assertThat(home.resolve("term")).exists();
            run.signal("CONT");
            assertThat(run.code()).isEqualTo(ExitCode.LOST);
        }
    }

    @Test
    @DisplayName("I02 is dead before another can start if the store is gone for longer than the TTL")
    void isDeadBeforeAnotherCanStartWithoutStore() throws IOException {
        try (PostgresServer server = PostgresServer.start(18);
                Database database = server.freshDatabase()) {
            StoreUrl url = StoreUrl.of(database.url()).withUser(database.user(), database.password());
            Stores.createSchema(url);
            cli.on(database);
            try (Run run = cli.start("run", "--key", "k", "--ttl", "6", "--grace", "1", "--", "sh", "-c", in(BEATS))) {
                run.awaitLines(1);
                long end = System.currentTimeMillis() * 1_000_000 + 6_000_000_000L;
                server.pause();
                run.awaitEndAnd(server::resume);
                assertThat(run.code()).isEqualTo(ExitCode.LOST);
                assertThat(lastBeat()).isLessThan(end);
                Run next = cli.run("run", "--key", "k", "--wait", "30", "--", "date", "+%s%N");
                assertThat(next.code()).isZero();
                assertThat(lastBeat()).isLessThan(Long.parseLong(next.out().strip()));
            }
        }
    }

    @Test
    @DisplayName("I06 A grandchild that made itself a daemon lives on: it is nobody's to find")
    void aDaemonLivesOn() {
        try (Run run = cli.start(
                "run", "--key", "k", "--", "sh", "-c", "setsid sleep 60 & sleep 0.5; echo $!; exec sleep 60")) {
            long daemon = Long.parseLong(run.awaitLines(1).get(0));
            run.signal("TERM");
            assertThat(run.code()).isEqualTo(143);
            assertThat(Processes.isRunning(daemon)).isTrue();
            Processes.signal("KILL", daemon);
        }
    }

    @Test
    @DisplayName("With --renew off the command is ended before the TTL is over")
    void isEndedAtTheTtlIfNotRenewed() {
        long start = System.nanoTime();
        Run run = cli.run("run", "--key", "k", "--ttl", "3", "--renew", "off", "--", "sleep", "60");
        assertThat(run.code()).isEqualTo(ExitCode.LOST);
        assertThat(System.nanoTime() - start).isGreaterThan(1_500_000_000L);
    }
}
