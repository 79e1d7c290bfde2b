package dev.leasehold.faults;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What came out of one cell.
 *
 * @param fired how often the fault struck
 * @param evidence at what that can be seen
 * @param operations calls and writes that ended one way or another
 * @param doubleHolders how often two held one key at once, also where nobody promises otherwise
 * @param reversals fences, or writes to the fenced resource, that went back
 * @param staleWrites how many writes the resource refused
 * @param recoveryMillis how long after the fault the last worker had its first lease
 * @param pressurePercent for how much of that time somebody waited for a CPU
 * @param findings promises that were broken, and reasons why nothing was tested; empty if all is well
 * @param history where the merged history is, if there are findings
 */
record CellReport(
        String store,
        String fault,
        long seed,
        int fired,
        String evidence,
        int operations,
        int grants,
        int refusals,
        int losses,
        int unknowns,
        int staleWrites,
        int answers,
        int doubleHolders,
        int reversals,
        long recoveryMillis,
        int pressurePercent,
        List<String> findings,
        String history) {
    /** For a cell that could not be brought to its end. */
    static CellReport broken(StoreKind store, String fault, long seed, @Nullable Throwable why) {
        List<String> findings = List.of("tested nothing: " + why);
        return new CellReport(store.toString(), fault, seed, 0, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, findings, "");
    }

    boolean isGood() {
        return findings.isEmpty();
    }

    /** For the terminal. */
    String line() {
        String numbers = String.format(
                Locale.ROOT,
                "%-10s %-13s %s  fired %d, operations %d, grants %d, refused %d, lost %d, unknown %d, stale %d, double"
                        + " %d, back %d, recovery %d ms, pressure %d %%",
                store,
                fault,
                isGood() ? "ok  " : "FAIL",
                fired,
                operations,
                grants,
                refusals,
                losses,
                unknowns,
                staleWrites,
                doubleHolders,
                reversals,
                recoveryMillis,
                pressurePercent);
        return isGood()
                ? numbers
                : numbers + "\n  seed " + seed + ", history " + history + "\n  " + String.join("\n  ", findings);
    }
}
