package dev.leasehold.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Bars of the rates by the floor's, one group for each cell and store, as SVG. */
final class Plot {
    private static final int LABELS = 150;
    private static final int WIDTH = 760;
    private static final int BAR = 14;
    private static final int GAP = 4;
    private static final int HEAD = 26;
    /** Bars end here; their numbers go on. */
    private static final double MOST = 5;

    private static final Map<String, String> COLOURS = Map.of(
            "leasehold", "#1a7f5a",
            "leasehold-store", "#7cc3a6",
            "floor", "#8a8f98",
            "server-lock", "#c4c8ce",
            "shedlock", "#d08a3c",
            "spring-integration", "#b85c5c",
            "redisson", "#7a6fb0",
            "redisson-fair", "#a9a1cf");

    private final StringBuilder drawn = new StringBuilder();
    private int y = HEAD;

    private Plot() {}

    /** A picture of those rows that have a rate and a floor; W7 is left to its table. */
    static String of(List<Row> rows) {
        Map<String, List<Row>> groups = new LinkedHashMap<>();
        for (Row row : rows) {
            if (row.get(Column.PER_SECOND) != null
                    && row.get(Column.VS_FLOOR) != null
                    && row.get(Column.RECORDS) == null) {
                groups.computeIfAbsent(row.cell + " " + row.store, group -> new ArrayList<>())
                        .add(row);
            }
        }
        Plot plot = new Plot();
        groups.forEach(plot::group);
        return plot.svg();
    }

    private void group(String title, List<Row> rows) {
        y += GAP * 2;
        text(8, y + BAR - 3, title, "bold");
        y += BAR + GAP;
        for (Row row : rows) {
            Number vsFloor = row.get(Column.VS_FLOOR);
            double ratio = vsFloor == null ? 0 : vsFloor.doubleValue();
            String colour = COLOURS.getOrDefault(row.contestant, "#8a8f98");
            text(16, y + BAR - 3, row.contestant, "normal");
            drawn.append(String.format(
                    Locale.ROOT,
                    "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                    LABELS,
                    y,
                    x(ratio) - LABELS,
                    BAR,
                    colour));
            text((int) x(ratio) + 5, y + BAR - 3, String.format(Locale.ROOT, "%.2f", ratio), "normal");
            y += BAR + GAP;
        }
    }

    private static double x(double ratio) {
        return LABELS + Math.min(ratio, MOST) / MOST * (WIDTH - LABELS - 60);
    }

    private void text(int x, int baseline, String text, String weight) {
        drawn.append(String.format(
                Locale.ROOT, "<text x=\"%d\" y=\"%d\" font-weight=\"%s\">%s</text>%n", x, baseline, weight, text));
    }

    private String svg() {
        int height = y + GAP * 3;
        return String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" \
                font-family="sans-serif" font-size="12" fill="#24292f">
                <rect width="%1$d" height="%2$d" fill="#ffffff"/>
                <text x="8" y="18">Rate by the floor's, in the same round. The line is 1.0; longer is faster.</text>
                %3$s<line x1="%4$.1f" x2="%4$.1f" y1="%5$d" y2="%6$d" stroke="#24292f" stroke-dasharray="3 3"/>
                </svg>
                """, WIDTH, height, drawn, x(1), HEAD, height - GAP);
    }
}
