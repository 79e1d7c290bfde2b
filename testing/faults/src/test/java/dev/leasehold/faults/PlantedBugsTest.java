package dev.leasehold.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The fault suite")
class PlantedBugsTest {
    private static final int MOST_CELLS = 8;

    private Stage stage;

    @BeforeAll
    void open() throws Exception {
        stage = Stage.open(StoreKind.REDIS, Path.of("target", "planted"), 1);
    }

    @AfterAll
    void close() throws Exception {
        stage.close();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(PlantedBug.class)
    @DisplayName("finds planted bugs")
    void findsBug(PlantedBug bug) throws Exception {
        stage.plant(bug.sabotage, bug.isResourceFenced);
        FaultCase fault = stage.faults(List.of(bug.fault)).get(0);
        CellReport report = stage.run(fault, 1);
        for (int seed = 2; seed <= MOST_CELLS && !isFound(bug, report); seed++) {
            report = stage.run(fault, seed);
        }
        System.out.println(report.line());
        assertThat(isFound(bug, report)).as(report.line()).isTrue();
    }

    private static boolean isFound(PlantedBug bug, CellReport report) {
        return report.findings().stream().anyMatch(finding -> finding.startsWith(bug.brokenPromise + ": "));
    }
}
