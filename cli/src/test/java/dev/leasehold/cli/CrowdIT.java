package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.Database;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens at midnight, when every machine starts the same job. */
@Tag("slow")
@DisplayName("Of a crowd that starts in the same second")
class CrowdIT {
    /** Two hundred JVMs take the better part of a minute to start on two cores; then each is told at once. */
    private static final Duration LIMIT = Duration.ofMinutes(3);

    @TempDir
    private Path home;

    /** Whoever starts first makes the archive of classes; the crowd is not to wait for that. */
    @BeforeAll
    static void warmUp(@TempDir Path other) {
        assertThat(Installed.shared()
                        .cli(other)
                        .run("run", "--key", "k", "--", "true")
                        .code())
                .isZero();
    }

    @Test
    @Tag("part-of:CRON-2")
    @DisplayName("of 200, for the first time on a machine, one runs, all others exit 1, and the store is one good file")
    void onSqlite() throws Exception {
        Cli cli = Installed.shared().cli(home);

        assertOneRuns(200, cli);

        Path store = home.resolve("leasehold");
        try (Stream<Path> files = Files.list(store)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> !name.startsWith("leases.db")))
                    .isEmpty();
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + store.resolve("leases.db"))) {
            assertThat(text(connection, "PRAGMA integrity_check")).isEqualTo("ok");
            assertThat(text(connection, "PRAGMA journal_mode")).isEqualTo("wal");
        }
    }

    @Test
    @Tag("part-of:CRON-2")
    @Tag("part-of:CRON-6")
    @DisplayName("of 60 on PostgreSQL, one runs and all others exit 1")
    void onPostgres() throws Exception {
        try (PostgresServer server = PostgresServer.start(18, Config.durable().with("max_connections", "900"));
                Database database = server.freshDatabase()) {
            StoreUrl url = StoreUrl.of(database.url()).withUser(database.user(), database.password());
            Stores.createSchema(url);
            assertOneRuns(60, Installed.shared().cli(home).on(database));
        }
    }

    private void assertOneRuns(int size, Cli cli) throws IOException, InterruptedException {
        Path stop = home.resolve("stop");
        cli.with("LEASEHOLD_STORE_TIMEOUT", LIMIT.toString());
        String job = "echo ran; while [ ! -e '" + stop + "' ]; do sleep 0.2; done";
        List<Run> crowd = new ArrayList<>();
        try {
            for (int i = 0; i < size; i++) {
                crowd.add(cli.start("run", "--key", "midnight", "--owner", "worker " + i, "--", "sh", "-c", job));
            }
            Waiting.until(() -> crowd.stream().filter(Run::isAlive).count() <= 1, LIMIT, () -> said(crowd));

            List<Run> running = crowd.stream().filter(Run::isAlive).toList();
            assertThat(running).as(() -> said(crowd)).hasSize(1);
            Run holder = running.get(0);
            String owner = "worker " + crowd.indexOf(holder);
            assertThat(holder.out()).isEqualTo("ran\n");
            for (Run run : crowd) {
                if (run != holder) {
                    assertThat(run.code()).as(run::err).isEqualTo(ExitCode.BUSY);
                    assertThat(run.out()).isEmpty();
                    assertThat(run.err())
                            .startsWith("leasehold: midnight busy: " + owner + " since ")
                            .hasLineCount(1);
                }
            }
            Files.createFile(stop);
            assertThat(holder.code()).isZero();
        } finally {
            crowd.forEach(Run::close);
        }
    }

    private static String said(List<Run> crowd) {
        return "one that runs; there were: "
                + crowd.stream()
                        .map(run -> (run.isAlive() ? "running " : run.code() + " ") + run.out() + run.err())
                        .distinct()
                        .toList();
    }

    private static String text(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }
}
