package dev.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Tag("slow")
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
    @DisplayName("Everybody who knows Redis locks and keeps there, and nobody holds a key twice")
    void redis() {
        Map<String, List<String>> contestants = onRedis("--cells", "W2,W5,W7");
        assertThat(contestants.get("W2"))
                .containsExactly(
                        "floor",
                        "floor-lettuce",
                        "leasehold",
                        "leasehold-store",
                        "shedlock",
                        "spring-integration",
                        "redisson",
                        "redisson-fair");
        assertThat(contestants.get("W5"))
                .containsExactly("floor", "leasehold", "shedlock", "spring-integration", "redisson", "redisson-fair");
        assertThat(contestants.get("W7")).containsExactly("floor", "leasehold", "floor", "leasehold");
    }

    @Test
    @DisplayName("Whoever waits in Redis gets his turn")
    void redisInTurn() {
        assertThat(onRedis("--cells", "W3", "--contestants", "floor,leasehold,shedlock"))
                .containsEntry("W3", List.of("floor", "leasehold", "shedlock"));
    }

    /** Who took part in which cell. Nobody lost what he kept. */
    private Map<String, List<String>> onRedis(String... arguments) {
        Path json = directory.resolve("rows.json");
        List<String> line = new ArrayList<>(List.of("--quick", "--stores", "redis", "--json", json.toString()));
        line.addAll(List.of(arguments));
        int exitCode = Bench.commandLine(new PrintWriter(new StringWriter())).execute(line.toArray(String[]::new));
        assertThat(exitCode).isZero();
        Map<String, List<String>> contestants = new TreeMap<>();
        for (JsonNode row : JsonMapper.shared().readTree(json)) {
            contestants
                    .computeIfAbsent(row.get("cell").stringValue(), cell -> new ArrayList<>())
                    .add(row.get("contestant").stringValue());
            assertThat(row.get("lost").longValue(0)).isZero();
        }
        return contestants;
    }

    @Test
    @DisplayName("Threads of one client take turns in W3a: none times out, and the longest gap is told")
    void threadsOfOneClientTakeTurns() {
        Path json = directory.resolve("rows.json");

        int exitCode = Bench.commandLine(new PrintWriter(new StringWriter()))
                .execute(
                        "--quick",
                        "--stores",
                        "sqlite,redis",
                        "--cells",
                        "W3a",
                        "--threads",
                        "2,16",
                        "--turns",
                        "50",
                        "--json",
                        json.toString());

        assertThat(exitCode).isZero();
        Map<String, List<String>> contestants = new TreeMap<>();
        for (JsonNode row : JsonMapper.shared().readTree(json)) {
            contestants
                    .computeIfAbsent(
                            row.get("store").stringValue() + ", "
                                    + row.get("variant").stringValue(),
                            cell -> new ArrayList<>())
                    .add(row.get("contestant").stringValue());
            assertThat(row.get("turnsPerSecond").doubleValue()).isPositive();
            assertThat(row.get("vsAlone").doubleValue()).isPositive();
            assertThat(row.get("longestGapMillis").doubleValue()).isPositive();
            assertThat(row.get("timeouts").longValue()).isZero();
            assertThat(row.get("overlaps").longValue()).isZero();
        }
        for (String variant : List.of("2 threads, 0 ms", "2 threads, 1 ms", "16 threads, 0 ms", "16 threads, 1 ms")) {
            assertThat(contestants.remove("sqlite, " + variant)).containsExactly("floor", "leasehold");
            assertThat(contestants.remove("redis, " + variant))
                    .containsExactly("floor", "leasehold", "spring-integration", "redisson", "redisson-fair");
        }
        assertThat(contestants).isEmpty();
    }

    @Test
    @DisplayName("Rows of the user's are leased, replayed and kept in R1, R2 and R5, beside the floor in the same run")
    void rowsOfTheUsers() {
        Path json = directory.resolve("rows.json");

        int exitCode = Bench.commandLine(new PrintWriter(new StringWriter()))
                .execute("--quick", "--stores", "postgres", "--cells", "R1,R2,R5", "--json", json.toString());

        assertThat(exitCode).isZero();
        List<String> contestants = new ArrayList<>();
        for (JsonNode row : JsonMapper.shared().readTree(json)) {
            contestants.add(
                    row.get("cell").stringValue() + " " + row.get("contestant").stringValue());
            assertThat(row.get("lost").longValue(0)).isZero();
            assertThat(row.get("overlaps").longValue()).isZero();
        }
        assertThat(contestants)
                .contains("R1 floor", "R1 leasehold-rows", "R2 floor", "R2 leasehold-rows", "R2 leasehold")
                .contains("R5 floor", "R5 leasehold-rows")
                .hasSize(12);
    }

    @Test
    @DisplayName(
            "On Firestore, requests are counted: one for a refusal, three by the floor and four for a lease and its release")
    void firestore() {
        Path json = directory.resolve("rows.json");

        int exitCode = Bench.commandLine(new PrintWriter(new StringWriter()))
                .execute("--quick", "--stores", "firestore", "--cells", "W1,W2,W2x,W4,W7", "--json", json.toString());

        assertThat(exitCode).isZero();
        List<String> contestants = new ArrayList<>();
        for (JsonNode row : JsonMapper.shared().readTree(json)) {
            String cell = row.get("cell").stringValue();
            contestants.add(cell + " " + row.get("contestant").stringValue());
            double requests = row.get("statementsPerOp").doubleValue();
            boolean isFloor = row.get("contestant").stringValue().equals("floor");
            double expected = cell.equals("W4") ? 1 : isFloor ? 3 : 4;
            assertThat(requests).isBetween(expected, expected + 0.2); // A request that is sent again counts, too.
            assertThat(row.get("vsFloor").doubleValue()).isPositive();
        }
        assertThat(contestants)
                .containsExactly(
                        "W1 floor",
                        "W1 leasehold",
                        "W1 leasehold-store",
                        "W2 floor",
                        "W2 leasehold",
                        "W2 leasehold-store",
                        "W2x floor",
                        "W2x leasehold",
                        "W2x leasehold-store",
                        "W4 floor",
                        "W4 leasehold",
                        "W4 leasehold-store");
    }

    @Test
    @DisplayName("Finished records are replayed over HTTP, by the analysis worker and by a hand-written controller")
    void http() {
        Path json = directory.resolve("rows.json");

        int exitCode = Bench.commandLine(new PrintWriter(new StringWriter()))
                .execute("--quick", "--stores", "postgres", "--cells", "W9", "--json", json.toString());

        assertThat(exitCode).isZero();
        List<String> contestants = new ArrayList<>();
        for (JsonNode row : JsonMapper.shared().readTree(json)) {
            contestants.add(row.get("contestant").stringValue());
            assertThat(row.get("opsPerSecond").doubleValue()).isPositive();
            assertThat(row.get("vsFloor").doubleValue()).isPositive();
            assertThat(row.get("statementsPerOp").isNull()).isTrue();
            assertThat(row.get("overlaps").longValue()).isZero();
        }
        assertThat(contestants).containsExactly("floor", "leasehold");
    }

    @Test
    @DisplayName("An unknown cell is refused with those that there are")
    void anUnknownCellIsRefused() {
        StringWriter errors = new StringWriter();

        int exitCode = Bench.commandLine(new PrintWriter(new StringWriter()))
                .setErr(new PrintWriter(errors))
                .execute("--cells", "W0");

        assertThat(exitCode).isEqualTo(2);
        assertThat(errors.toString())
                .contains("No cell W0; there are [W1, W2, W2x, W3, W3a, W4, W5, W6, W7, W8, W9, R1, R2, R5].");
    }
}
