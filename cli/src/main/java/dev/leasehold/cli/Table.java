package dev.leasehold.cli;

import java.util.ArrayList;
import java.util.List;

/** Rows for people, in columns as wide as their contents. The first row may be a heading. */
final class Table {
    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();
    private final boolean isColoured;
    private boolean hasHeading;

    Table(boolean isColoured) {
        this.isColoured = isColoured;
    }

    /** Words of ours above the columns, by their names among the messages. */
    Table heading(String... names) {
        List<String> words = new ArrayList<>();
        for (String name : names) {
            words.add(Messages.text("column." + name));
        }
        rows.add(0, words);
        hasHeading = true;
        return this;
    }

    /** Values from anywhere. */
    Table row(List<String> values) {
        rows.add(values.stream().map(Shown::of).toList());
        return this;
    }

    Table row(String... values) {
        return row(List.of(values));
    }

    @Override
    public String toString() {
        List<Integer> widths = new ArrayList<>();
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                int width = Shown.width(row.get(i));
                if (i == widths.size()) {
                    widths.add(width);
                } else {
                    widths.set(i, Math.max(widths.get(i), width));
                }
            }
        }
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            String line = line(rows.get(i), widths);
            lines.add(isColoured && hasHeading && i == 0 ? "\u001b[1m" + line + "\u001b[0m" : line);
        }
        return String.join(System.lineSeparator(), lines);
    }

    private static String line(List<String> row, List<Integer> widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            String cell = row.get(i);
            line.append(i == 0 ? "" : GAP).append(cell).append(" ".repeat(widths.get(i) - Shown.width(cell)));
        }
        return line.toString().stripTrailing();
    }
}
