package dev.leasehold.faults;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
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

    @Option(names = "--peers", description = "Also ShedLock and Spring Integration, on PostgreSQL.")
    private boolean withPeers;

    @Option(names = "--docs", paramLabel = "FILE", description = "Also put the matrix into this document.")
    private @Nullable Path document;

    @Option(
            names = "--target",
            paramLabel = "DIRECTORY",
            defaultValue = "target",
            description = "For soak.json, soak.md and histories; default: ${DEFAULT-VALUE}.")
    private Path target = Path.of("target");

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
            for (StoreKind store : stores.isEmpty() ? StoreKind.available() : stores) {
                if (isOnce || System.nanoTime() < end) {
                    run(store, seeds, isOnce ? Long.MAX_VALUE : end);
                }
            }
        } while (!isOnce && System.nanoTime() < end);
        if (withPeers) {
            tellPeers(Peers.run(target.resolve("soak"), seeds));
        }
        return tell();
    }

    private void tellPeers(List<PeerReport> peers) throws Exception {
        String table = PeerReport.table(peers);
        out.println(table);
        JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValue(target.resolve("peers.json"), peers);
        Path file = document;
        if (file != null) {
            Matrix.put(table, "peers", file);
        }
    }

    private void run(StoreKind store, SplittableRandom seeds, long end) throws Exception {
        try (Stage stage = Stage.open(store, target.resolve("soak"), seeds.nextLong())) {
            for (FaultCase fault : stage.faults(faults)) {
                if (System.nanoTime() < end && !run(stage, store, fault, seeds.nextLong())) {
                    return;
                }
            }
        }
    }

    /** Whether the stage can be used for more. */
    private boolean run(Stage stage, StoreKind store, FaultCase fault, long cellSeed) throws InterruptedException {
        CellReport report;
        boolean isUsable = true;
        try {
            report = stage.run(fault, cellSeed);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            report = CellReport.broken(store, fault, cellSeed, e);
            isUsable = false;
        }
        reports.add(report);
        out.println(report.line());
        return isUsable;
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
            Matrix.put(matrix, "matrix", file);
        }
        boolean isGood = !reports.isEmpty() && reports.stream().allMatch(CellReport::isGood);
        return isGood ? 0 : 1;
    }
}
