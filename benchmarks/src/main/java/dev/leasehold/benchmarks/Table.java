package dev.leasehold.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Rows of one cell on one store, for people. Columns that say nothing are left out. */
final class Table {
    private record Column(String head, Function<Row, String> text) {}

    private Table() {}

    static String of(String title, List<Row> rows) {
        List<Column> columns = columns(title, rows).stream()
                .filter(column ->
                        rows.stream().anyMatch(row -> !column.text().apply(row).isEmpty()))
                .toList();
        List<List<String>> lines = new ArrayList<>();
        lines.add(columns.stream().map(Column::head).toList());
        for (Row row : rows) {
            lines.add(columns.stream().map(column -> column.text().apply(row)).toList());
        }
        return aligned(lines);
    }

    private static List<Column> columns(String title, List<Row> rows) {
        double shedLock = rows.stream()
                .filter(row -> row.contestant().equals("shedlock"))
                .findFirst()
                .map(Row::opsPerSecond)
                .orElse(Double.NaN);
        return List.of(
                new Column(title, Row::contestant),
                new Column("variant", row -> row.variant() == null ? "" : row.variant()),
                new Column("records", row -> number(row.records())),
                new Column("leases", row -> number(row.leases())),
                new Column("per s", row -> number(row.opsPerSecond(), 0)),
                new Column("x floor", row -> number(row.vsFloor(), 2)),
                new Column("x shedlock", row -> number(quotient(row.opsPerSecond(), shedLock), 2)),
                new Column("p50 us", row -> number(row.p50Micros(), 0)),
                new Column("p99 us", row -> number(row.p99Micros(), 0)),
                new Column("most/least", row -> number(row.fairness(), 2)),
                new Column("stmts/op", row -> number(row.statementsPerOp(), 2)),
                new Column("stmts/s", row -> number(row.statementsPerSecond(), 2)),
                new Column("client ms/s", row -> number(row.clientCpuMillisPerSecond(), 1)),
                new Column("store ms/s", row -> number(row.storeCpuMillisPerSecond(), 1)),
                new Column("lost", row -> number(row.lost())),
                new Column("overlaps", row -> number(row.overlaps())),
                new Column("refused", row -> number(row.refusals())));
    }

    private static @Nullable Double quotient(@Nullable Double value, double by) {
        return value == null || Double.isNaN(by) ? null : Double.valueOf(value / by);
    }

    private static String number(@Nullable Double value, int digits) {
        return value == null ? "" : String.format(Locale.ROOT, "%,." + digits + "f", value);
    }

    private static String number(@Nullable Long value) {
        return value == null ? "" : String.format(Locale.ROOT, "%,d", value);
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
