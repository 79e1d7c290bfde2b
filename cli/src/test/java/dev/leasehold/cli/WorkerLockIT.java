package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.servers.Database;
import dev.leasehold.servers.MariaDbServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
    @Tag("CRON-7")
    @Tag("part-of:CRON-2")
    @DisplayName("Starts that overlap, as cron makes them: no two jobs at once, and those too many exit 1")
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

        assertThat(starts.stream().map(Run::code)).containsOnly(0, 1).contains(0, 1);
        int ran = (int) starts.stream().filter(run -> run.code() == 0).count();
        assertThat(Files.readString(log)).isEqualTo("begin\nend\n".repeat(ran));
        assertThat(rows()).isZero();
    }

    @Test
    @Tag("CRON-1")
    @DisplayName("A start clears what has expired, whether it gets its lock or not, and nothing else")
    void startsClear() throws SQLException {
        leaveBehind();
        assertThat(cli.run("run", "--key", JOB, "--", "echo", "ran").out()).isEqualTo("ran\n");
        assertThat(keys()).containsExactly("other");

        leaveBehind();
        assertThat(cli.run("run", "--key", "other", "--", "echo", "ran"))
                .returns(1, Run::code)
                .returns("", Run::out);
        assertThat(keys()).containsExactly("other");
    }

    /** Locks of scripts: 25 that were killed long ago, the job's own among them, and one that is at work. */
    private void leaveBehind() throws SQLException {
        execute("DELETE FROM worker_lock");
        execute("INSERT INTO worker_lock SELECT concat('dead', seq), NOW() - INTERVAL 1 DAY FROM seq_1_to_24");
        execute("INSERT INTO worker_lock VALUES ('" + JOB + "', NOW() - INTERVAL 1 SECOND),"
                + " ('other', NOW() + INTERVAL 1 HOUR)");
    }

    @Test
    @Tag("CRON-1")
    @DisplayName("The lock is there while the job runs, and released when it ends, well or not")
    void released() throws Exception {
        Path seen = home.resolve("seen");
        for (String end : List.of("exit 0", "exit 7", "kill -KILL $$", "kill -TERM $$")) {
            try (Run run = cli.start(
                    "run",
                    "--key",
                    JOB,
                    "--",
                    "sh",
                    "-c",
                    "echo began; while [ ! -e '" + seen + "' ]; do sleep 0.1; done; " + end)) {
                run.awaitLines(1);
                assertThat(keys()).as(end).containsExactly(JOB);
                Files.createFile(seen);
                run.awaitEnd();
                assertThat(keys()).as(end).isEmpty();
                Files.delete(seen);
            }
        }
    }

    @Test
    @Tag("CRON-7")
    @Tag("CRON-1")
    @DisplayName("kill -9: the job dies with its guard, the lock lasts until its expiry and no longer")
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
    @Tag("CRON-7")
    @Tag("CRON-2")
    @DisplayName("A manual re-run exits 1 while cron's run goes on, leaves it alone, and runs afterwards")
    void manualRerun() throws Exception {
        Path go = home.resolve("go");
        String job = "echo began; while [ ! -e '" + go + "' ]; do sleep 0.1; done; echo done";
        try (Run cron = cli.start("run", "--key", JOB, "--", "sh", "-c", job)) {
            cron.awaitLines(1);

            Run manual = cli.run("run", "--key", JOB, "--", "echo", "ran");
            assertThat(manual.code()).isEqualTo(1);
            assertThat(manual.out()).isEmpty();
            assertThat(manual.err()).matches("leasehold: " + JOB + " busy: .* left, fence \\d+\n");
            assertThat(cli.run("run", "--key", JOB, "-E", "75", "--", "echo", "ran"))
                    .returns(75, Run::code)
                    .returns("", Run::out);
            assertThat(cron.isAlive()).isTrue();
            assertThat(rows()).isOne();

            Files.createFile(go);
            assertThat(cron.code()).isZero();
            assertThat(cron.out()).isEqualTo("began\ndone\n");
        }
        assertThat(cli.run("run", "--key", JOB, "--", "echo", "ran").out()).isEqualTo("ran\n");
    }

    @Test
    @Tag("part-of:CRON-3")
    @Tag("part-of:CRON-4")
    @DisplayName("A script that still locks by itself keeps the command out, and is kept out for 300 s")
    void scriptsStay() throws Exception {
        scriptAcquires();
        assertThat(cli.run("run", "--key", JOB, "--", "true").code()).isEqualTo(1);
        scriptReleases();

        try (Run ours = cli.start("run", "--key", JOB, "--", "sh", "-c", "echo began; exec sleep 600")) {
            ours.awaitLines(1);
            // Whole seconds, rounded up.
            assertThat(secondsLeft()).isBetween(280L, 301L);
            assertThatThrownBy(this::scriptAcquires).isInstanceOf(SQLIntegrityConstraintViolationException.class);
            ours.signal("TERM");
            assertThat(ours.code()).isEqualTo(143);
        }
        scriptAcquires();
    }

    @Test
    @Tag("part-of:CRON-3")
    @DisplayName("On MariaDB, commands and scripts take turns on the table as it stands, which stays as it was")
    void takesTurnsWithScripts() throws Exception {
        String before = definition();
        Path log = Files.createFile(home.resolve("log"));
        String job = "echo begin >> '" + log + "'; sleep 0.3; echo end >> '" + log + "'";
        List<Run> commands = new ArrayList<>();
        int scripts = 0;
        for (int i = 0; i < 8; i++) {
            if (i % 2 == 0) {
                commands.add(cli.start("run", "--key", JOB, "--wait", "50s", "--shell", "--", job));
            }
            scripts += scriptRuns(log) ? 1 : 0;
            TimeUnit.MILLISECONDS.sleep(300);
        }

        assertThat(commands.stream().map(Run::code)).containsOnly(0);
        assertThat(scripts).isPositive();
        assertThat(Files.readString(log)).isEqualTo("begin\nend\n".repeat(commands.size() + scripts));
        assertThat(keys()).isEmpty();
        assertThat(definition()).isEqualTo(before);
        assertThat(number("SELECT count(*) FROM information_schema.tables WHERE table_schema = database()"))
                .isOne();
    }

    /** A whole run of a script; false if it is a duplicate. */
    private boolean scriptRuns(Path log) throws SQLException, IOException, InterruptedException {
        try {
            scriptAcquires();
        } catch (SQLIntegrityConstraintViolationException e) {
            return false;
        }
        Files.writeString(log, "begin\n", StandardOpenOption.APPEND);
        TimeUnit.MILLISECONDS.sleep(200);
        Files.writeString(log, "end\n", StandardOpenOption.APPEND);
        scriptReleases();
        return true;
    }

    @Test
    @DisplayName("What the table cannot keep is refused before anything is run")
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

    /** What it does at its end. */
    private void scriptReleases() throws SQLException {
        execute("DELETE FROM worker_lock WHERE lock_key = '" + JOB + "'");
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = script.createStatement()) {
            statement.execute(sql);
        }
    }

    private long rows() throws SQLException {
        return number("SELECT count(*) FROM worker_lock");
    }

    private List<String> keys() throws SQLException {
        List<String> keys = new ArrayList<>();
        try (Statement statement = script.createStatement();
                ResultSet rows = statement.executeQuery("SELECT lock_key FROM worker_lock ORDER BY lock_key")) {
            while (rows.next()) {
                keys.add(rows.getString(1));
            }
        }
        return keys;
    }

    private String definition() throws SQLException {
        try (Statement statement = script.createStatement();
                ResultSet row = statement.executeQuery("SHOW CREATE TABLE worker_lock")) {
            assertThat(row.next()).isTrue();
            return row.getString(2);
        }
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
