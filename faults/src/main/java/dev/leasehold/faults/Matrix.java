package dev.leasehold.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Fault by store, in Markdown: what was seen. */
final class Matrix {
    private Matrix() {}

    static String of(List<CellReport> reports) {
        Set<String> stores = new LinkedHashSet<>();
        reports.forEach(report -> stores.add(report.store()));
        StringBuilder table = new StringBuilder("| fault |");
        stores.forEach(store -> table.append(' ').append(store).append(" |"));
        table.append("\n|---|").append("---|".repeat(stores.size())).append('\n');
        for (Map.Entry<String, String> fault : titles().entrySet()) {
            List<CellReport> row = reports.stream()
                    .filter(report -> report.fault().equals(fault.getKey()))
                    .toList();
            if (!row.isEmpty()) {
                table.append("| ").append(fault.getValue()).append(" |");
                stores.forEach(
                        store -> table.append(' ').append(seen(row, store)).append(" |"));
                table.append('\n');
            }
        }
        return table + "\n" + total(reports);
    }

    private static Map<String, String> titles() {
        Map<String, String> titles = new LinkedHashMap<>();
        Faults.ALL.forEach(fault -> titles.put(fault.name(), fault.title()));
        return titles;
    }

    private static String seen(List<CellReport> row, String store) {
        List<CellReport> cells =
                row.stream().filter(report -> report.store().equals(store)).toList();
        if (cells.isEmpty()) {
            return "–";
        }
        List<String> parts = new ArrayList<>();
        long bad = cells.stream().filter(cell -> !cell.isGood()).count();
        if (bad > 0) {
            parts.add("**%d of %d runs with findings**".formatted(bad, cells.size()));
        } else {
            parts.add(cells.size() == 1 ? "1 run" : cells.size() + " runs");
        }
        parts.add(sum(cells, CellReport::grants) + " grants");
        parts.add(sum(cells, CellReport::losses) + " lost");
        if (sum(cells, CellReport::doubleHolders) > 0) {
            parts.add(sum(cells, CellReport::doubleHolders) + " times two holders");
        }
        if (sum(cells, CellReport::reversals) > 0) {
            parts.add("**" + sum(cells, CellReport::reversals) + " fences back**");
        }
        long recovery =
                cells.stream().mapToLong(CellReport::recoveryMillis).max().orElseThrow();
        parts.add("back in %.1f s".formatted(recovery / 1_000.0));
        return String.join(", ", parts);
    }

    private static long sum(List<CellReport> cells, ToIntFunction<CellReport> number) {
        return cells.stream().mapToInt(number).asLongStream().sum();
    }

    private static String total(List<CellReport> reports) {
        long findings = reports.stream().filter(report -> !report.isGood()).count();
        return "%d runs, %d operations, %d grants, %d losses; %d fences or fenced writes went back; %d runs with findings.\n"
                .formatted(
                        reports.size(),
                        sum(reports, CellReport::operations),
                        sum(reports, CellReport::grants),
                        sum(reports, CellReport::losses),
                        sum(reports, CellReport::reversals),
                        findings);
    }

    /**
     * Puts a table into a document, in the place of the one that is there.
     *
     * @param name of the place, which lies between two comments, such as {@code matrix} and {@code end of matrix}
     * @throws IllegalArgumentException if the document has no such place
     */
    static void put(String table, String name, Path document) throws IOException {
        String begin = "<!-- " + name + " -->";
        String end = "<!-- end of " + name + " -->";
        String text = Files.readString(document);
        Matcher place = Pattern.compile(begin + ".*?" + end, Pattern.DOTALL).matcher(text);
        if (!place.find()) {
            throw new IllegalArgumentException(document + " has no place for it: " + begin + " … " + end + ".");
        }
        String replacement = begin + "\n" + table + end;
        Files.writeString(document, text.substring(0, place.start()) + replacement + text.substring(place.end()));
    }
}
