package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.servers.Database;
import dev.leasehold.servers.MariaDbServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cron jobs on the table that cron scripts have, in MariaDB, with real processes. */
@Tag("slow")
@DisplayName("leasehold run on the table worker_lock")
class WorkerLockIT {
    private static final String JOB = "fetch_news_worker";

    @TempDir
    private Path home;

    private Database database;
    private Connection script;
    private Cli cli;

    @BeforeEach
    void createTable() throws SQLException {
        database = MariaDbServer.shared().freshDatabase();
        script = database.connect();
        execute("CREATE TABLE worker_lock (lock_key VARCHAR(100) NOT NULL, expires_at DATETIME NOT NULL,"
                + " PRIMARY KEY (lock_key), KEY idx_worker_lock_expires_at (expires_at)) ENGINE=InnoDB");
        cli = Installed.shared().cli(home).on(database).with("LEASEHOLD_STORE", "worker-lock:" + database.url());
    }

    @AfterEach
    void close() throws SQLException {
        script.close();
        database.close();
    }

    @Test
    @DisplayName("W7 W2 W3 Starts that overlap, as cron makes them: no two jobs at once, and those too many exit 1")
    void startsThatOverlap() throws Exception {
        Path log = home.resolve("log");
        List<Run> starts = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            starts.add(cli.start(
                    "run",
                    "--key",
                    JOB,
                    "--shell",
                    "--",
                    "echo begin >> '" + log + "'; sleep 1.5; echo end >> '" + log + "'"));
            TimeUnit.MILLISECONDS.sleep(700); // As cron does: by the clock, whatever became of the last one.
        }

        assertThat(starts.stream().map(Run::code))
                .containsOnly(0, ExitCode.BUSY)
                .contains(0, ExitCode.BUSY);
        int ran = (int) starts.stream().filter(run -> run.code() == 0).count();
        assertThat(Files.readString(log)).isEqualTo("begin\nend\n".repeat(ran));
        assertThat(rows()).isZero();
    }

    @Test
    @DisplayName("W7 W1 W3 kill -9: the job dies with its guard, the lock lasts until its expiry and no longer")
    void killed() throws Exception {
        Run first = cli.start("run", "--key", JOB, "--ttl", "10", "--", "sh", "-c", "echo $$; exec sleep 600");
        long job = Long.parseLong(first.awaitLines(1).get(0));
        first.kill();
        Processes.awaitEnd(job);

        Run tooEarly = cli.run("run", "--key", JOB, "--ttl", "10", "--", "true");
        assertThat(tooEarly.code()).isEqualTo(ExitCode.BUSY);
        assertThat(tooEarly.err()).startsWith("leasehold: " + JOB + " busy: ").contains(" left");
        assertThat(rows()).isOne();

        Waiting.until(() -> secondsLeft() < 0, () -> "the end of the lock");
        assertThat(cli.run("run", "--key", JOB, "--ttl", "10", "--", "echo", "again")
                        .out())
                .isEqualTo("again\n");
        assertThat(rows()).isZero();
    }

    @Test
    @DisplayName("W7 W2 W3 A manual re-run exits 1 while cron's run goes on, leaves it alone, and runs afterwards")
    void manualRerun() throws Exception {
        Path go = home.resolve("go");
        String job = "echo began; while [ ! -e '" + go + "' ]; do sleep 0.1; done; echo done";
        try (Run cron = cli.start("run", "--key", JOB, "--", "sh", "-c", job)) {
            cron.awaitLines(1);

            Run manual = cli.run("run", "--key", JOB, "--", "echo", "ran");
            assertThat(manual.code()).isEqualTo(ExitCode.BUSY);
            assertThat(manual.out()).isEmpty();
            assertThat(manual.err()).matches("leasehold: " + JOB + " busy: .* left, fence \\d+\n");
            assertThat(cron.isAlive()).isTrue();
            assertThat(rows()).isOne();

            Files.createFile(go);
            assertThat(cron.code()).isZero();
            assertThat(cron.out()).isEqualTo("began\ndone\n");
        }
        assertThat(cli.run("run", "--key", JOB, "--", "echo", "ran").out()).isEqualTo("ran\n");
    }

    @Test
    @DisplayName("W7 W3 A script that still locks by itself keeps us out, and we keep it out")
    void scriptsStay() throws Exception {
        scriptAcquires();
        assertThat(cli.run("run", "--key", JOB, "--", "true").code()).isEqualTo(ExitCode.BUSY);
        execute("DELETE FROM worker_lock WHERE lock_key = '" + JOB + "'");

        try (Run ours = cli.start("run", "--key", JOB, "--", "sh", "-c", "echo began; exec sleep 600")) {
            ours.awaitLines(1);
            // Whole seconds, rounded up.
            assertThat(secondsLeft()).as("W4 the TTL is 300 s").isBetween(280L, 301L);
            assertThatThrownBy(this::scriptAcquires).isInstanceOf(SQLIntegrityConstraintViolationException.class);
            ours.signal("TERM");
            assertThat(ours.code()).isEqualTo(143);
        }
        scriptAcquires();
    }

    @Test
    @DisplayName("W3 What the table cannot keep is refused before anything is run")
    void atLeastIsRefused() throws SQLException {
        Run run = cli.run("run", "--key", JOB, "--at-least", "30s", "--", "echo", "ran");
        assertThat(run.code()).isEqualTo(ExitCode.USAGE);
        assertThat(run.out()).isEmpty();
        assertThat(rows()).isZero();
    }

    /** What such a script does to begin. */
    private void scriptAcquires() throws SQLException {
        execute("DELETE FROM worker_lock WHERE expires_at < NOW()");
        execute("INSERT INTO worker_lock (lock_key, expires_at) VALUES ('" + JOB
                + "', DATE_ADD(NOW(), INTERVAL 300 SECOND))");
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = script.createStatement()) {
            statement.execute(sql);
        }
    }

    private long rows() throws SQLException {
        return number("SELECT count(*) FROM worker_lock");
    }

    private long secondsLeft() {
        try {
            return number("SELECT timestampdiff(SECOND, NOW(), expires_at) FROM worker_lock");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private long number(String query) throws SQLException {
        try (Statement statement = script.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            assertThat(row.next()).isTrue();
            return row.getLong(1);
        }
    }
}
