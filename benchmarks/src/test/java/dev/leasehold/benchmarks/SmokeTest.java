package dev.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("./bench")
class SmokeTest {
    @TempDir
    private Path directory;

    @Test
    @DisplayName("A quick run prints a table and writes a row for each contestant")
    void aQuickRunGivesRows() {
        Path json = directory.resolve("rows.json");
        StringWriter printed = new StringWriter();

        int exitCode = Bench.commandLine(new PrintWriter(printed))
                .execute("--quick", "--stores", "sqlite", "--cells", "W1,W4", "--json", json.toString());

        assertThat(exitCode).isZero();
        assertThat(printed.toString()).contains("W1 sqlite", "W4 sqlite", "x floor");
        JsonNode rows = JsonMapper.shared().readTree(json);
        assertThat(rows).hasSize(6);
        for (JsonNode row : rows) {
            assertThat(row.get("store").stringValue()).isEqualTo("sqlite");
            assertThat(row.get("opsPerSecond").doubleValue()).isPositive();
            assertThat(row.get("vsFloor").doubleValue()).isPositive();
            assertThat(row.get("p99Micros").doubleValue())
                    .isGreaterThanOrEqualTo(row.get("p50Micros").doubleValue());
            assertThat(row.get("statementsPerOp").doubleValue()).isPositive();
            assertThat(row.get("overlaps").longValue()).isZero();
        }
    }

    @Test
    @DisplayName("An unknown cell is refused with those that there are")
    void anUnknownCellIsRefused() {
        StringWriter errors = new StringWriter();

        int exitCode = Bench.commandLine(new PrintWriter(new StringWriter()))
                .setErr(new PrintWriter(errors))
                .execute("--cells", "W9");

        assertThat(exitCode).isEqualTo(2);
        assertThat(errors.toString()).contains("No cell W9; there are [W1, W2, W2x, W3, W4, W5, W6, W7, W8].");
    }
}
