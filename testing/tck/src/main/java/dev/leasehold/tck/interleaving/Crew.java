package dev.leasehold.tck.interleaving;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The workers of one run, each in an arena and on a thread of its own. */
final class Crew implements AutoCloseable {
    private final List<Worker> workers = new ArrayList<>();
    private final List<Finding> findings = Collections.synchronizedList(new ArrayList<>());
    private final ExecutorService threads;

    /** How a worker tries a cell. */
    interface Trial {
        Optional<Finding> run(Worker worker, Cell cell);
    }

    private interface Step<T> {
        List<Finding> run(Worker worker, T work);
    }

    Crew(Interleavings.ArenaOpener opener, int arenas) throws Exception {
        threads = Executors.newFixedThreadPool(arenas);
        for (int i = 0; i < arenas; i++) {
            workers.add(new Worker(opener.open()));
        }
    }

    boolean batches() {
        return workers.get(0).batches();
    }

    void work(int most, List<Cell> cells, Trial trial) throws Exception {
        share(most, cells, (worker, cell) -> trial.run(worker, cell).stream().toList());
    }

    void workTogether(int most, List<List<Cell>> pairs) throws Exception {
        share(most, pairs, (worker, pair) -> worker.runTogether(pair.get(0), pair.get(1)));
    }

    /** Each of so many workers takes the next piece until none is left. */
    private <T> void share(int most, List<T> work, Step<T> step) throws Exception {
        Queue<T> left = new ConcurrentLinkedQueue<>(work);
        List<Future<?>> running = new ArrayList<>();
        for (Worker worker : workers.subList(0, most)) {
            running.add(threads.submit(() -> {
                for (T next = left.poll(); next != null; next = left.poll()) {
                    findings.addAll(step.run(worker, next));
                }
            }));
        }
        for (Future<?> one : running) {
            one.get();
        }
    }

    Interleavings.Report report(int cells) {
        int waited = workers.stream().mapToInt(Worker::waited).sum();
        return new Interleavings.Report(cells, waited, List.copyOf(findings));
    }

    @Override
    public void close() {
        threads.shutdownNow();
        for (Worker worker : workers) {
            worker.close();
        }
    }
}
