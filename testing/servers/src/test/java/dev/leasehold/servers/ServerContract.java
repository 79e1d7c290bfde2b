package dev.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.assertj.core.data.TemporalUnitOffset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What holds for every kind of server. One server per class; each test finds it running, with the word "old" in it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ServerContract<S extends Server> {
    private static final TemporalUnitOffset NEARLY = within(20, ChronoUnit.SECONDS);

    S server;

    abstract S start(Config config);

    /** A server seen by its address alone, as one that the environment names. */
    abstract S seenFromOutside(S server);

    abstract Session open(S server) throws Exception;

    @BeforeAll
    final void startServer() {
        server = start(Config.relaxed());
    }

    @AfterAll
    final void closeServer() {
        server.close();
    }

    @BeforeEach
    final void putOldWord() throws Exception {
        if (!words().contains("old")) {
            put("old");
        }
    }

    @Test
    @DisplayName("Killed and started again, it has all it acknowledged")
    final void killKeepsData() throws Exception {
        put("before the kill");
        List<ProcessHandle> processes = server.processes();
        server.kill();
        assertThat(processes).isNotEmpty().noneMatch(Signals::isAlive);
        server.restart();
        assertThat(words()).contains("old", "before the kill");
    }

    @Test
    @DisplayName("Killed, it breaks its connections and takes no new ones")
    final void killEndsConnections() throws Exception {
        try (Session session = open(server)) {
            server.kill();
            assertThatThrownBy(session::words).isInstanceOf(Exception.class);
            assertThatThrownBy(() -> open(server)).isInstanceOf(Exception.class);
        } finally {
            server.restart();
        }
    }

    @Test
    @DisplayName("Ended by itself, it shows the end of its log, and can be started again")
    final void endedByItself() throws Exception {
        PrintStream before = System.err;
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        System.setErr(new PrintStream(shown, true, StandardCharsets.UTF_8));
        try {
            Signals.send("KILL", server.processes());
            assertThat(Waiting.until(
                            () -> shown.toString(StandardCharsets.UTF_8).contains("The end of its log"), 20))
                    .isTrue();
        } finally {
            System.setErr(before);
            server.restart();
        }
        assertThat(shown.toString(StandardCharsets.UTF_8)).contains("ended by itself with status 137");
        assertThat(shown.toString(StandardCharsets.UTF_8).lines()).hasSizeGreaterThan(1);
        assertThat(words()).contains("old");
    }

    @Test
    @DisplayName("Restarted while it runs, it is another process with the same data")
    final void restartIsOrderly() throws Exception {
        long before = server.processes().get(0).pid();
        server.restart();
        assertThat(server.processes().get(0).pid()).isNotEqualTo(before);
        assertThat(words()).contains("old");
    }

    @Test
    @DisplayName("Paused, it answers nobody; resumed, it answers")
    final void pauseStopsAnswers() throws Exception {
        try (Session known = open(server);
                Session patient = open(server)) {
            assertThat(known.words()).contains("old");
            known.waitAtMost(300);
            server.pause();
            try {
                assertThatThrownBy(known::words).hasStackTraceContaining("SocketTimeoutException");
            } finally {
                server.resume();
            }
            assertThat(patient.words()).contains("old");
        }
    }

    @Test
    @DisplayName("Paused, it can be killed, and then its number is free for others")
    final void pausedCanBeKilled() throws Exception {
        long number = server.processes().get(0).pid();
        server.pause();
        server.kill();
        assertThat(Path.of("/proc", Long.toString(number))).doesNotExist();
        server.restart();
        assertThat(words()).contains("old");
    }

    @Test
    @DisplayName("Restored to a snapshot, it has lost what came later and nothing else")
    final void restoreLosesLaterCommits() throws Exception {
        put("before the snapshot");
        try (Session session = open(server)) {
            Snapshot snapshot = server.snapshot();
            session.put("after the snapshot");
            assertThat(words()).contains("before the snapshot", "after the snapshot");
            server.restore(snapshot);
            assertThat(words()).contains("before the snapshot").doesNotContain("after the snapshot");
            put("again");
            server.restore(snapshot);
            assertThat(words()).contains("before the snapshot").doesNotContain("again");
        }
    }

    @Test
    @DisplayName("Two run at once and know nothing of each other; one that is closed leaves no process and no file")
    final void twoAtOnce() throws Exception {
        S other = start(Config.relaxed());
        List<ProcessHandle> processes = other.processes();
        Path home =
                Path.of("/proc/" + processes.get(0).pid() + "/cwd").toRealPath().getParent();
        try (Session session = open(other)) {
            session.put("of the other");
            assertThat(session.words()).containsExactly("of the other");
            Snapshot foreign = other.snapshot();
            assertThatThrownBy(() -> server.restore(foreign))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another server");
        } finally {
            other.close();
        }
        assertThat(words()).contains("old").doesNotContain("of the other");
        assertThat(processes).isNotEmpty().noneMatch(Signals::isAlive);
        assertThat(Guard.roots()).contains(home.getParent());
        assertThat(Files.exists(home)).isFalse();
        assertThatThrownBy(other::kill)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    @DisplayName("Its wall clock can be moved while it runs, and stays so; nothing of that is left in memory")
    final void clock() {
        try (S moved = start(Config.relaxed().withMovableClock())) {
            assertThat(moved.time()).isCloseTo(Instant.now(), NEARLY);
            moved.moveClock(Duration.ofHours(1));
            assertThat(moved.time()).isCloseTo(Instant.now().plus(Duration.ofHours(1)), NEARLY);
            moved.moveClock(Duration.ofHours(-2));
            assertThat(moved.time()).isCloseTo(Instant.now().minus(Duration.ofHours(1)), NEARLY);
            moved.kill();
            moved.restart();
            assertThat(moved.time()).isCloseTo(Instant.now().minus(Duration.ofHours(1)), NEARLY);
            assertThat(Path.of("/dev/shm/faketime_shm_" + moved.pid())).doesNotExist();
        }
        assertThatThrownBy(() -> server.moveClock(Duration.ofHours(1)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("withMovableClock");
    }

    @Test
    @DisplayName("Somebody else's server can be used, but not killed, paused, copied or set")
    final void outsideServer() throws Exception {
        S outside = seenFromOutside(server);
        assertThat(outside.isBuiltIn()).isFalse();
        try (Session session = open(outside)) {
            assertThat(session.words()).contains("old");
        }
        assertThatThrownBy(outside::kill)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("Unset LEASEHOLD_TEST_");
        assertThatThrownBy(outside::restart).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(outside::pause).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(outside::snapshot).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> outside.moveClock(Duration.ZERO)).isInstanceOf(UnsupportedOperationException.class);
        outside.close();
        assertThat(words()).contains("old");
    }

    private void put(String word) throws Exception {
        try (Session session = open(server)) {
            session.put(word);
        }
    }

    private List<String> words() throws Exception {
        try (Session session = open(server)) {
            return session.words();
        }
    }
}
