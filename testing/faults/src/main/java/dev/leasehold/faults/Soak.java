package dev.leasehold.faults;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;

/** The command line. */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Lets eight processes take leases on four keys of each store while one fault after another strikes, and",
            "judges what each of them saw. Goes on until the time is up; every cell is run at least once if the time",
            "allows."
        },
        footer = {
            "",
            "Exit code: 0; 1 if a promise was broken or a cell tested nothing. The seed and the history are named then."
        })
public final class Soak implements Callable<Integer> {
    @Parameters(paramLabel = "MINUTES", description = "How long. 0 for each cell once.")
    private double minutes;

    @Option(
            names = "--stores",
            split = ",",
            paramLabel = "STORE",
            description = "Only these: ${COMPLETION-CANDIDATES}; default: all.")
    private List<StoreKind> stores = List.of();

    @Option(names = "--faults", split = ",", paramLabel = "FAULT", description = "Only these; default: all that fit.")
    private List<String> faults = List.of();

    @Option(names = "--seed", description = "For the dice; by default the time.")
    private @Nullable Long seed;

    @Option(names = "--peers", description = "Also ShedLock, Spring Integration and Redisson.")
    private boolean withPeers;

    @Option(names = "--docs", paramLabel = "FILE", description = "Also put the matrix into this document.")
    private @Nullable Path document;

    @Option(
            names = "--target",
            paramLabel = "DIRECTORY",
            defaultValue = "target",
            description = "For soak.json, soak.md and histories; default: ${DEFAULT-VALUE}.")
    private Path target = Path.of("target");

    /** None takes a minute, however slow the machine. */
    private static final Duration LONGEST_CELL = Duration.ofMinutes(3);

    private final PrintWriter out;
    private final List<CellReport> reports = new ArrayList<>();

    private Soak(PrintWriter out) {
        this.out = out;
    }

    /** Runs and exits. */
    public static void main(String[] arguments) {
        System.exit(commandLine(new PrintWriter(System.out, true, StandardCharsets.UTF_8))
                .execute(arguments));
    }

    static CommandLine commandLine(PrintWriter out) {
        return new CommandLine(new Soak(out)).setOut(out).registerConverter(StoreKind.class, StoreKind::of);
    }

    @Override
    public Integer call() throws Exception {
        long first = seed == null ? System.currentTimeMillis() : seed;
        out.println("soak: seed " + first);
        SplittableRandom seeds = new SplittableRandom(first);
        long end =
                System.nanoTime() + Duration.ofMillis((long) (minutes * 60_000)).toNanos();
        boolean isOnce = minutes == 0;
        do {
            for (StoreKind store : stores.isEmpty() ? List.of(StoreKind.values()) : stores) {
                if (isOnce || System.nanoTime() < end) {
                    run(store, seeds, isOnce ? Long.MAX_VALUE : end);
                }
            }
        } while (!isOnce && System.nanoTime() < end);
        int code = tell();
        if (withPeers) {
            tellPeers(Peers.run(target.resolve("soak"), seeds));
        }
        return code;
    }

    private void tellPeers(List<PeerReport> peers) throws Exception {
        String table = PeerReport.table(peers);
        out.println(table);
        JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValue(target.resolve("peers.json"), peers);
        Path file = document;
        if (file != null) {
            new Document(file).put(table, "peers");
        }
    }

    /** On as many stages as it takes. */
    private void run(StoreKind store, SplittableRandom seeds, long end) throws InterruptedException {
        int done = 0;
        boolean isComplete = false;
        while (!isComplete) {
            try (Stage stage = Stage.open(store, target.resolve("soak"), seeds.nextLong())) {
                List<FaultCase> all = stage.faults(faults);
                boolean isUsable = true;
                while (isUsable && done < all.size() && System.nanoTime() < end) {
                    isUsable = run(stage, store, all.get(done++), seeds.nextLong());
                }
                isComplete = done == all.size() || System.nanoTime() >= end;
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                add(CellReport.broken(store, "stage", 0, e));
                isComplete = true;
            }
        }
    }

    private void add(CellReport report) {
        reports.add(report);
        out.println(report.line());
    }

    /** Whether the stage can be used for more. */
    private boolean run(Stage stage, StoreKind store, FaultCase fault, long cellSeed) throws InterruptedException {
        try {
            add(run(stage, fault, cellSeed));
            return true;
        } catch (ExecutionException e) {
            add(CellReport.broken(store, fault.name(), cellSeed, e.getCause()));
        } catch (TimeoutException e) {
            add(CellReport.broken(store, fault.name(), cellSeed, e));
        }
        return false;
    }

    private static CellReport run(Stage stage, FaultCase fault, long cellSeed)
            throws InterruptedException, ExecutionException, TimeoutException {
        FutureTask<CellReport> cell = new FutureTask<>(() -> stage.run(fault, cellSeed));
        Thread thread = new Thread(cell, "cell");
        thread.setDaemon(true);
        thread.start();
        return cell.get(LONGEST_CELL.toNanos(), TimeUnit.NANOSECONDS);
    }

    private int tell() throws Exception {
        String matrix = Matrix.of(reports);
        out.println();
        out.println(matrix);
        Files.createDirectories(target);
        Files.writeString(target.resolve("soak.md"), matrix);
        JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValue(target.resolve("soak.json"), reports);
        Path file = document;
        if (file != null) {
            new Document(file).put(matrix, "matrix");
        }
        List<String> missing = missing();
        missing.forEach(out::println);
        boolean isGood =
                !reports.isEmpty() && missing.isEmpty() && reports.stream().allMatch(CellReport::isGood);
        return isGood ? 0 : 1;
    }

    /** What a whole run must have seen, or it has tested nothing. */
    private List<String> missing() {
        List<String> missing = new ArrayList<>();
        if (faults.isEmpty()) {
            Map<String, ToIntFunction<CellReport>> outcomes = Map.of(
                    "refused", CellReport::refusals,
                    "unknown", CellReport::unknowns,
                    "lost", CellReport::losses,
                    "stale", CellReport::staleWrites,
                    "answered", CellReport::answers);
            outcomes.forEach((name, count) -> {
                if (reports.stream().mapToInt(count).sum() == 0) {
                    missing.add("tested nothing: no outcome was \"" + name + "\"");
                }
            });
        }
        return missing;
    }
}
