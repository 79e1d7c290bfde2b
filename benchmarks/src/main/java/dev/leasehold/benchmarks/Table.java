package dev.leasehold.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Rows of one cell on one store, for people. */
final class Table {
    private static final List<String> HEAD =
            List.of("", "ops/s", "x floor", "x shedlock", "p50 us", "p99 us", "stmts/op", "overlaps", "refused");

    private Table() {}

    static String of(String title, List<Row> rows) {
        @Nullable
        Double shedLock = rows.stream()
                .filter(row -> row.contestant().equals("shedlock"))
                .findFirst()
                .map(Row::opsPerSecond)
                .orElse(null);
        List<List<String>> lines = new ArrayList<>();
        List<String> head = new ArrayList<>(HEAD);
        head.set(0, title);
        lines.add(head);
        for (Row row : rows) {
            Double ops = row.opsPerSecond();
            lines.add(List.of(
                    row.contestant(),
                    number(ops, 0),
                    number(row.vsFloor(), 2),
                    number(ops == null || shedLock == null ? null : ops / shedLock, 2),
                    number(row.p50Micros(), 0),
                    number(row.p99Micros(), 0),
                    number(row.statementsPerOp(), 2),
                    Long.toString(row.overlaps()),
                    Long.toString(row.refusals())));
        }
        return aligned(lines);
    }

    static String number(@Nullable Double value, int digits) {
        return value == null ? "-" : String.format(Locale.ROOT, "%,." + digits + "f", value);
    }

    private static String aligned(List<List<String>> lines) {
        int columns = lines.get(0).size();
        int[] widths = new int[columns];
        for (List<String> line : lines) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (List<String> line : lines) {
            for (int i = 0; i < columns; i++) {
                String pad = " ".repeat(widths[i] - line.get(i).length());
                text.append(i == 0 ? line.get(i) + pad : "  " + pad + line.get(i));
            }
            text.append('\n');
        }
        return text.toString();
    }
}
