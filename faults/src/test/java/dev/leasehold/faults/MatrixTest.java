package dev.leasehold.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The matrix")
class MatrixTest {
    private static CellReport report(String store, String fault, int doubleHolders, List<String> findings) {
        return new CellReport(store, fault, 1, 1, "", 500, 100, 2, 0, 1, 3, doubleHolders, 0, 1_540, findings, "");
    }

    private static final List<CellReport> REPORTS = List.of(
            report("file", "kill", 0, List.of()),
            report("file", "kill", 0, List.of()),
            report("sqlite", "deleted", 3, List.of()),
            report("sqlite", "kill", 0, List.of("S1: two")));

    @Test
    @DisplayName("has a row per fault and a column per store, and sums up")
    void rows() {
        assertThat(Matrix.of(REPORTS)).isEqualTo("""
                | fault | file | sqlite |
                |---|---|---|
                | client killed (`kill -9`) | 2 runs, 200 grants, 4 lost, back in 1.5 s | **1 of 1 runs with findings**, 100 grants, 2 lost, back in 1.5 s |
                | records deleted by hand | – | 1 run, 100 grants, 2 lost, 3 times two holders, back in 1.5 s |

                4 runs, 2000 operations, 400 grants, 8 losses; 0 fences or fenced writes went back; 1 runs with findings.
                """);
    }

    @Test
    @DisplayName("takes the place of the one in a document")
    void put(@TempDir Path directory) throws IOException {
        Path document = directory.resolve("doc.md");
        Files.writeString(document, "before\n<!-- matrix -->\nold $1\n<!-- end of matrix -->\nafter\n");
        Matrix.put("new $2\n", "matrix", document);
        assertThat(document).hasContent("before\n<!-- matrix -->\nnew $2\n<!-- end of matrix -->\nafter");
    }

    @Test
    @DisplayName("asks for a place")
    void noPlace(@TempDir Path directory) throws IOException {
        Path document = Files.writeString(directory.resolve("doc.md"), "nothing\n");
        assertThatThrownBy(() -> Matrix.put("new", "matrix", document)).hasMessageContaining("has no place for it");
    }
}
