package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.tck.process.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many processes at once. */
class RaceTest {
    @TempDir(factory = MemoryDisk.class)
    Path directory;

    /** What the racers said. */
    private record Outcome(List<Long> fences, List<String> unknown, List<String> faults) {}

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"DIRECTORY", "LOCK_FILE"})
    @DisplayName("X01 Of 3 processes that race for a stale lease, 200 times, exactly one gets it")
    void oneOfAFewProcessesGetsAStaleLease(String store) throws Exception {
        check(race(store, 3, 200), 200);
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"DIRECTORY", "LOCK_FILE"})
    @DisplayName("X01 Of 16 processes that race for a stale lease, 3000 times, exactly one gets it")
    void oneOfManyProcessesGetsAStaleLease(String store) throws Exception {
        check(race(store, 16, 3_000), 3_000);
    }

    @Tag("slow")
    @Test
    @DisplayName("X01 The race shows two holders where a stale file is deleted and made anew")
    void raceShowsTwoHoldersOfANaiveLock() throws Exception {
        Outcome outcome = race(RacerProcess.UNLINKING, 4, 300);
        assertThat(outcome.faults()).anyMatch(fault -> fault.startsWith("DOUBLE HOLDER"));
    }

    private static void check(Outcome outcome, int rounds) {
        assertThat(outcome.faults()).isEmpty();
        assertThat(outcome.unknown()).hasSizeLessThan(rounds / 50);
        assertThat(outcome.fences()).doesNotHaveDuplicates();
        assertThat(outcome.fences().stream().map(RaceClock::roundOf).distinct()).hasSizeGreaterThanOrEqualTo(rounds);
    }

    private Outcome race(String store, int processes, int rounds) throws Exception {
        Files.createDirectory(directory.resolve("witnesses"));
        Outcome outcome = new Outcome(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        List<ChildJvm> racers = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                racers.add(ChildJvm.start(RacerProcess.class, store, directory, rounds));
            }
            racers.forEach(racer -> assertThat(racer.line()).isEqualTo("ready"));
            long start = System.nanoTime();
            racers.forEach(racer -> racer.say(""));
            for (ChildJvm racer : racers) {
                racer.lastLines().forEach(line -> note(line, outcome));
                assertThat(racer.exitCode()).isZero();
            }
            System.out.printf(
                    "%s: %d processes, %d rounds, %d grants, %d unknown, %d faults, %.1f s%n",
                    store,
                    processes,
                    rounds,
                    outcome.fences().size(),
                    outcome.unknown().size(),
                    outcome.faults().size(),
                    (System.nanoTime() - start) / 1e9);
            return outcome;
        } finally {
            racers.forEach(ChildJvm::close);
        }
    }

    private static void note(String line, Outcome outcome) {
        if (line.matches("\\d+")) {
            outcome.fences().add(Long.parseLong(line));
        } else {
            (line.equals(RacerProcess.UNKNOWN) ? outcome.unknown() : outcome.faults()).add(line);
        }
    }
}
