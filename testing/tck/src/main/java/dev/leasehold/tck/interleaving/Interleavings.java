package dev.leasehold.tck.interleaving;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs cells in several arenas at once. */
public final class Interleavings {
    private Interleavings() {}

    /** Opens one more arena. */
    public interface ArenaOpener {
        Arena open() throws Exception;
    }

    /**
     * What came of it.
     *
     * @param cells how many cells were tried, alone and in company
     * @param waited how many calls were seen to wait for their rival
     */
    public record Report(int cells, int waited, List<Finding> findings) {}

    /** Runs these cells, and those that can go together in company as well. */
    public static Report run(ArenaOpener opener, int arenas, List<Cell> cells) throws Exception {
        try (Crew crew = new Crew(opener, arenas)) {
            List<List<Cell>> pairs = crew.batches() ? pairs(cells) : List.of();
            // A purge drops what it finds, so only one worker tries them.
            crew.work(1, cells.stream().filter(Interleavings::isPurge).toList(), Worker::run);
            crew.work(arenas, cells.stream().filter(cell -> !isPurge(cell)).toList(), Worker::run);
            crew.workTogether(arenas, pairs);
            return crew.report(cells.size() + pairs.size());
        }
    }

    /**
     * Runs these cells with rivals that keep their locks for this long, unless the call answers before. A record that is
     * locked for long is contention, and no outage.
     */
    public static Report runLong(ArenaOpener opener, int arenas, List<Cell> cells, Duration lock) throws Exception {
        try (Crew crew = new Crew(opener, arenas)) {
            crew.work(arenas, cells, (worker, cell) -> worker.runLong(cell, lock));
            return crew.report(cells.size());
        }
    }

    private static boolean isPurge(Cell cell) {
        return cell.verb() == VerbForm.PURGE;
    }

    /** Each cell that can go together, with another one of them. */
    private static List<List<Cell>> pairs(List<Cell> cells) {
        List<Cell> batched =
                cells.stream().filter(cell -> cell.verb().isBatched()).toList();
        List<List<Cell>> pairs = new ArrayList<>();
        int half = batched.size() / 2;
        for (int i = 0; i < half; i++) {
            pairs.add(List.of(batched.get(i), batched.get(i + half)));
        }
        return pairs;
    }
}
