package dev.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("Cell W8")
class StartUpTest {
    private record Program(String name, String script) implements Contestant.Starts {
        @Override
        public ProcessBuilder command(Bed bed, String key) {
            return new ProcessBuilder("sh", "-c", script);
        }
    }

    @Test
    @DisplayName("A program that takes longer than the floor has a share of its rate")
    void slowerIsLess() throws Exception {
        List<Row> rows = run(new Program("floor", "sleep 0.1"), new Program("slow", "sleep 0.3"));
        assertThat(rows.get(0).get(Column.VS_FLOOR)).isEqualTo(1.0);
        assertThat(rows.get(1).get(Column.VS_FLOOR).doubleValue()).isBetween(0.2, 0.6);
        assertThat(rows.get(1).get(Column.P50).doubleValue()).isGreaterThan(300_000);
        assertThat(rows.get(1).get(Column.P99).doubleValue())
                .isGreaterThanOrEqualTo(rows.get(1).get(Column.P50).doubleValue());
    }

    @Test
    @DisplayName("A program that fails is no result")
    void failureIsNoResult() {
        assertThatThrownBy(() -> run(new Program("broken", "exit 3"))).hasMessage("broken ended with 3");
    }

    @Test
    @DisplayName("The bare JVM takes a lock and gives it back, every time")
    void theFloorLocks() throws Exception {
        FloorContestant floor = new FloorContestant();
        try (Bed bed = StoreKind.SQLITE.open()) {
            floor.createTables(bed);
            for (int i = 0; i < 2; i++) {
                assertThat(floor.command(bed, "k").inheritIO().start().waitFor())
                        .isZero();
            }
            try (var connection = bed.source().getConnection();
                    var statement = connection.createStatement();
                    var row = statement.executeQuery("SELECT fence, nonce FROM floor WHERE k = 'k'")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getLong(1)).isEqualTo(2);
                assertThat(row.getString(2)).isNull();
            }
        }
    }

    private static List<Row> run(Contestant.Starts... contestants) throws Exception {
        try (Bed bed = StoreKind.SQLITE.open()) {
            return new StartUp(Cell.W8, bed, 3).run(List.of(contestants));
        }
    }
}
