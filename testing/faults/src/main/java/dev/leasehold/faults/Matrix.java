package dev.leasehold.faults;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** Fault by store, in Markdown: what was seen. */
final class Matrix {
    private final List<CellReport> reports;
    private final Set<String> stores = new LinkedHashSet<>();

    private Matrix(List<CellReport> reports) {
        this.reports = reports;
        for (StoreKind store : StoreKind.values()) {
            if (reports.stream().anyMatch(report -> report.store().equals(store.toString()))) {
                stores.add(store.toString());
            }
        }
    }

    static String of(List<CellReport> reports) {
        Matrix matrix = new Matrix(reports);
        StringBuilder text = new StringBuilder();
        text.append("Grants / losses · longest recovery:\n\n")
                .append(matrix.table(reports, Matrix::work))
                .append("\n");
        List<CellReport> doubles = reports.stream()
                .filter(report -> report.doubleHolders() + report.reversals() > 0)
                .toList();
        if (!doubles.isEmpty()) {
            text.append(
                            "Where two held one key at once: in how many runs, how many moments in all / fences or fenced writes")
                    .append(" that went back:\n\n")
                    .append(matrix.table(doubles, Matrix::harm))
                    .append("\n");
        }
        return text.append(matrix.total()).toString();
    }

    private String table(List<CellReport> shown, Function<List<CellReport>, String> cell) {
        StringBuilder table = new StringBuilder("| fault |");
        stores.forEach(store -> table.append(' ').append(store).append(" |"));
        table.append("\n|---|").append("---|".repeat(stores.size())).append('\n');
        titles().forEach((name, title) -> {
            List<CellReport> row =
                    shown.stream().filter(report -> report.fault().equals(name)).toList();
            if (!row.isEmpty()) {
                table.append("| ").append(title).append(" |");
                stores.forEach(store ->
                        table.append(' ').append(cell.apply(of(row, store))).append(" |"));
                table.append('\n');
            }
        });
        return table.toString();
    }

    private static Map<String, String> titles() {
        Map<String, String> titles = new LinkedHashMap<>();
        Faults.ALL.forEach(fault -> titles.put(fault.name(), fault.title()));
        return titles;
    }

    private static List<CellReport> of(List<CellReport> row, String store) {
        return row.stream().filter(report -> report.store().equals(store)).toList();
    }

    private static String work(List<CellReport> cells) {
        if (cells.isEmpty()) {
            return "–";
        }
        long bad = cells.stream().filter(cell -> !cell.isGood()).count();
        long recovery = cells.stream()
                .filter(CellReport::isGood)
                .mapToLong(CellReport::recoveryMillis)
                .max()
                .orElse(0);
        String seen = String.format(
                Locale.ROOT,
                "%d / %d · %.1f s",
                sum(cells, CellReport::grants),
                sum(cells, CellReport::losses),
                recovery / 1_000.0);
        return bad == 0
                ? seen
                : String.format(Locale.ROOT, "**%d of %d runs with findings**, ", bad, cells.size()) + seen;
    }

    private static String harm(List<CellReport> cells) {
        return cells.isEmpty()
                ? "–"
                : String.format(
                        Locale.ROOT,
                        "%d: %d / %d",
                        cells.size(),
                        sum(cells, CellReport::doubleHolders),
                        sum(cells, CellReport::reversals));
    }

    private static long sum(List<CellReport> cells, ToIntFunction<CellReport> number) {
        return cells.stream().mapToInt(number).asLongStream().sum();
    }

    private String total() {
        StringBuilder total =
                new StringBuilder("| | runs | operations | grants | losses | fences back | runs with findings |\n");
        total.append("|---|---|---|---|---|---|---|\n");
        stores.forEach(store -> total.append(total(store, of(reports, store))));
        return total.append(total("all", reports)).toString();
    }

    private static String total(String name, List<CellReport> cells) {
        return String.format(
                Locale.ROOT,
                "| %s | %d | %d | %d | %d | %d | %d |%n",
                name,
                cells.size(),
                sum(cells, CellReport::operations),
                sum(cells, CellReport::grants),
                sum(cells, CellReport::losses),
                sum(cells, CellReport::reversals),
                cells.stream().filter(cell -> !cell.isGood()).count());
    }
}
