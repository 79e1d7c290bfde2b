package dev.leasehold.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A short soak: of each store the faults that matter most to it. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Real processes keep the promises")
class FaultsTest {
    private static final Map<StoreKind, List<String>> CHOSEN = Map.of(
            StoreKind.FILE, List.of("kill", "suspend"),
            StoreKind.SQLITE, List.of("stop", "full"),
            StoreKind.POSTGRESQL, List.of("partition", "lost-replies", "lost-commits"),
            StoreKind.MARIADB, List.of("restart", "server-behind", "ghosts", "frozen"),
            StoreKind.REDIS, List.of("very-slow", "twice", "lost-commits"));

    private StoreKind present;
    private Stage stage;

    static Stream<Arguments> cells() {
        return Stream.of(StoreKind.values())
                .flatMap(store -> CHOSEN.get(store).stream().map(fault -> Arguments.of(store, fault)));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("cells")
    @DisplayName("G3, G4 while a fault strikes, and are back in time after it")
    void keepsPromises(StoreKind store, String fault) throws Exception {
        long seed = System.nanoTime();
        FaultCase chosen = on(store).faults(List.of(fault)).get(0);
        CellReport report = stage.run(chosen, seed);
        System.out.println(report.line());
        assertThat(report.findings()).as(report.line()).isEmpty();
    }

    /** Cells of one store come after one another. */
    private Stage on(StoreKind store) throws Exception {
        if (store != present) {
            close();
            stage = Stage.open(store, Path.of("target", "faults"), System.nanoTime());
            present = store;
        }
        return stage;
    }

    @AfterAll
    void close() throws Exception {
        if (stage != null) {
            stage.close();
        }
    }
}
