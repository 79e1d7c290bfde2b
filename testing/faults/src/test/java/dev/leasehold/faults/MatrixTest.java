package dev.leasehold.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The matrix")
class MatrixTest {
    private static CellReport report(String store, String fault, int doubleHolders, List<String> findings) {
        return new CellReport(
                store, fault, 1, 1, "", 500, 100, 9, 2, 0, 1, 3, doubleHolders, 0, 1_540, 30, findings, "");
    }

    private static final List<CellReport> REPORTS = List.of(
            report("sqlite", "deleted", 3, List.of()),
            report("sqlite", "kill", 0, List.of("S1: two")),
            report("file", "kill", 0, List.of()),
            report("file", "kill", 0, List.of()));

    @Test
    @DisplayName("has a row per fault and a column per store, says where two held one key, and sums up")
    void rows() {
        assertThat(Matrix.of(REPORTS)).isEqualTo("""
                Grants / losses · longest recovery:

                | fault | file | sqlite |
                |---|---|---|
                | client killed (`kill -9`) | 200 / 4 · 1.5 s | **1 of 1 runs with findings**, 100 / 2 · 0.0 s |
                | records deleted by hand | – | 100 / 2 · 1.5 s |

                Where two held one key at once: in how many runs, how many moments in all / fences or fenced writes that went back:

                | fault | file | sqlite |
                |---|---|---|
                | records deleted by hand | – | 1: 3 / 0 |

                | | runs | operations | grants | losses | fences back | runs with findings |
                |---|---|---|---|---|---|---|
                | file | 2 | 1000 | 200 | 4 | 0 | 0 |
                | sqlite | 2 | 1000 | 200 | 4 | 0 | 1 |
                | all | 4 | 2000 | 400 | 8 | 0 | 1 |
                """);
    }
}
