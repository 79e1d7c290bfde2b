package dev.leasehold.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Rows of one cell on one store, for people. Columns that say nothing are left out. */
final class Table {
    private record Shown(String head, Function<Row, String> text) {}

    private Table() {}

    static String of(String title, List<Row> rows) {
        List<Shown> columns = columns(title, rows).stream()
                .filter(column ->
                        rows.stream().anyMatch(row -> !column.text().apply(row).isEmpty()))
                .toList();
        List<List<String>> lines = new ArrayList<>();
        lines.add(columns.stream().map(Shown::head).toList());
        for (Row row : rows) {
            lines.add(columns.stream().map(column -> column.text().apply(row)).toList());
        }
        return aligned(lines);
    }

    private static List<Shown> columns(String title, List<Row> rows) {
        Optional<Double> shedLock = rows.stream()
                .filter(row -> row.contestant.equals("shedlock"))
                .findFirst()
                .map(row -> row.get(Column.PER_SECOND))
                .map(Number::doubleValue);
        List<Shown> columns = new ArrayList<>();
        columns.add(new Shown(title, row -> row.contestant));
        columns.add(new Shown("variant", row -> row.cell.variant() == null ? "" : row.cell.variant()));
        for (Column column : Column.values()) {
            columns.add(new Shown(column.head, row -> number(row.get(column), 1, column.digits)));
            if (column == Column.VS_FLOOR) {
                shedLock.ifPresent(rate -> columns.add(
                        new Shown("x shedlock", row -> number(row.get(Column.PER_SECOND), rate, column.digits))));
            }
        }
        return columns;
    }

    private static String number(@Nullable Number value, double by, int digits) {
        return value == null ? "" : String.format(Locale.ROOT, "%,." + digits + "f", value.doubleValue() / by);
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
