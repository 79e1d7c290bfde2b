package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Database;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("Workers that leasehold run keeps apart")
class WorkersTest {
    @TempDir
    private Path home;

    @Test
    @Tag("CRON-6")
    @DisplayName("The heartbeat keeps the lease for as long as the command runs, well beyond its TTL")
    void theHeartbeatKeepsTheLease() {
        Cli cli = new Cli(home);
        try (Run first = cli.start(
                "run",
                "--key",
                "k",
                "--ttl",
                "2",
                "--owner",
                "ana on host-7",
                "--",
                "sh",
                "-c",
                "sleep 5; echo x; sleep 60")) {
            first.awaitLines(1);
            Run second = cli.run("run", "--key", "k", "--", "true");
            assertThat(second.code()).isEqualTo(1);
            assertThat(second.err()).startsWith("leasehold: k busy: ana on host-7 since ");
        }
    }

    @Test
    @Tag("CRON-6")
    @DisplayName("Workers with different home directories share a store by its URL")
    void workersShareAStore(@TempDir Path otherHome) {
        try (Database database = PostgresServer.shared(18).freshDatabase()) {
            StoreUrl url = StoreUrl.of(database.url()).withUser(database.user(), database.password());
            Stores.createSchema(url);
            Cli cli = new Cli(home).on(database);
            Cli other = new Cli(otherHome).on(database);
            try (Run first = cli.start("run", "--key", "k", "--", "sh", "-c", "echo started; exec sleep 60")) {
                first.awaitLines(1);
                assertThat(other.run("run", "--key", "k", "--", "true").code()).isEqualTo(1);
                first.signal("TERM");
                assertThat(first.code()).isEqualTo(143);
                assertThat(other.run("run", "--key", "k", "--", "true").code()).isZero();
            }
        }
    }

    @Test
    @Tag("part-of:CRON-2")
    @DisplayName("Of many that start at once for the first time on this machine, one runs and the others exit 1")
    void oneOfManyRuns() {
        Cli cli = new Cli(home);
        List<Run> runs = IntStream.range(0, 8)
                .mapToObj(i -> cli.start("run", "--key", "k", "--at-least", "1h", "--", "echo", "ran"))
                .toList();
        runs.forEach(Run::awaitEnd);
        assertThat(runs.stream().map(Run::code).sorted()).containsExactly(0, 1, 1, 1, 1, 1, 1, 1);
        assertThat(runs.stream().filter(run -> run.out().equals("ran\n"))).hasSize(1);
    }

    @Test
    @DisplayName("What ran, what was skipped and what was lost is in the history")
    void theHistoryTells() {
        Cli cli = new Cli(home);
        try (Run first = cli.start(
                "run", "--key", "k", "--ttl", "3", "--owner", "ana", "--", "sh", "-c", "echo started; exec sleep 60")) {
            first.awaitLines(1);
            cli.run("run", "--key", "k", "--owner", "bo", "--", "true");
            cli.takeAway("k");
            assertThat(first.code()).isEqualTo(ExitCode.LOST);
        }
        cli.run("run", "--key", "k", "--owner", "cy", "--", "true");
        try (LeaseStore store = Stores.open(cli.storeUrl())) {
            assertThat(store.history().orElseThrow().read(HistoryRequest.of(Key.of("k"))).stream()
                            .map(entry -> entry.kind() + " " + entry.owner()))
                    .containsExactlyInAnyOrder("acquired ana", "skipped bo", "lost ana", "acquired cy", "released cy");
        }
    }
}
