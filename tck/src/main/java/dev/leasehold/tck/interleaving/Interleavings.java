package dev.leasehold.tck.interleaving;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

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
        ConcurrentLinkedQueue<Cell> alone = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<List<Cell>> together = new ConcurrentLinkedQueue<>();
        List<Cell> purges = new ArrayList<>();
        cells.forEach(cell -> (cell.verb() == VerbForm.PURGE ? purges : alone).add(cell));
        List<Worker> workers = new ArrayList<>();
        List<Finding> findings = Collections.synchronizedList(new ArrayList<>());
        ExecutorService threads = Executors.newFixedThreadPool(arenas);
        try {
            for (int i = 0; i < arenas; i++) {
                workers.add(new Worker(opener.open()));
            }
            if (workers.get(0).batches()) {
                together.addAll(pairs(cells));
            }
            int pairs = together.size();
            List<Future<?>> running = new ArrayList<>();
            for (Worker worker : workers) {
                // A purge drops what it finds, so only one arena tries them.
                List<Cell> first = worker == workers.get(0) ? purges : List.of();
                running.add(threads.submit(work(worker, first, alone, together, findings)));
            }
            for (Future<?> one : running) {
                one.get();
            }
            int waited = workers.stream().mapToInt(Worker::waited).sum();
            return new Report(cells.size() + pairs, waited, List.copyOf(findings));
        } finally {
            threads.shutdownNow();
            for (Worker worker : workers) {
                worker.close();
            }
        }
    }

    private static Callable<Boolean> work(
            Worker worker,
            List<Cell> first,
            ConcurrentLinkedQueue<Cell> alone,
            ConcurrentLinkedQueue<List<Cell>> together,
            List<Finding> findings) {
        return () -> {
            first.forEach(cell -> worker.run(cell).ifPresent(findings::add));
            for (Cell cell = alone.poll(); cell != null; cell = alone.poll()) {
                worker.run(cell).ifPresent(findings::add);
            }
            for (List<Cell> pair = together.poll(); pair != null; pair = together.poll()) {
                findings.addAll(worker.runTogether(pair.get(0), pair.get(1)));
            }
            return true;
        };
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
