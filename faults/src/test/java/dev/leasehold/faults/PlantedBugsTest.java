package dev.leasehold.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@DisplayName("The fault suite")
class PlantedBugsTest {
    @TempDir
    private Path directory;

    @ParameterizedTest(name = "{0}")
    @EnumSource(PlantedBug.class)
    @DisplayName("finds planted bugs")
    void findsBug(PlantedBug bug) throws Exception {
        try (Stage stage = Stage.open(StoreKind.FILE, directory, 1, bug.sabotage, bug.isResourceFenced)) {
            CellReport report = stage.run(stage.faults(List.of(bug.fault)).get(0), 1);
            assertThat(report.findings())
                    .as(report.line())
                    .anyMatch(finding -> finding.startsWith(bug.brokenPromise + ": "));
        }
    }
}
