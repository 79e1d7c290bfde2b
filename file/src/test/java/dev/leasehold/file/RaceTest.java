package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many processes at once. */
@Tag("slow")
class RaceTest {
    private static final int PROCESSES = 8;
    private static final int ROUNDS = 3_000;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(names = {"DIRECTORY", "LOCK_FILE"})
    @DisplayName("X01 of 8 processes that race for a stale lease, 3000 times, exactly one gets it")
    void oneOfManyProcessesGetsAStaleLease(StoreKind kind) throws IOException {
        Files.createDirectory(directory.resolve("witnesses"));
        List<ChildJvm> racers = new ArrayList<>();
        List<String> faults = new ArrayList<>();
        List<Long> fences = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                racers.add(ChildJvm.start(RacerProcess.class, kind, directory, ROUNDS));
            }
            racers.forEach(racer -> assertThat(racer.line()).isEqualTo("ready"));
            long start = System.nanoTime();
            racers.forEach(ChildJvm::go);
            for (ChildJvm racer : racers) {
                for (String line : racer.lines()) {
                    if (line.matches("\\d+")) {
                        fences.add(Long.parseLong(line));
                    } else {
                        faults.add(line);
                    }
                }
            }
            System.out.printf(
                    "%s: %d processes, %d rounds, %d grants, %d faults, %.1f s%n",
                    kind, PROCESSES, ROUNDS, fences.size(), faults.size(), (System.nanoTime() - start) / 1e9);
        } finally {
            racers.forEach(ChildJvm::close);
        }
        assertThat(faults).isEmpty();
        assertThat(fences).doesNotHaveDuplicates();
        assertThat(fences.stream().map(RaceClock::roundOf).distinct()).hasSizeGreaterThanOrEqualTo(ROUNDS);
    }
}
