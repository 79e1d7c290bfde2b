package dev.leasehold.benchmarks;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/** The command line. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures Leasehold, hand-written statements (the floor), ShedLock, Spring Integration and Redisson in",
            "turns, on servers that it starts itself, and checks meanwhile that no key is held twice."
        },
        footer = {
            "",
            "Cells:",
            "  W1   acquire and release keys that nobody else wants, one thread",
            "  W2   the same, 8 threads; W2x: 64 threads",
            "  W3   8 nodes wait for one key, 1 ms of work: changes of owner, time waited, fairness",
            "  W3a  2, 16 and 500 threads of one client take turns on one key, with 0 and",
            "       1 ms of work: turns by those of one thread alone, longest gap without a",
            "       holder, calls that timed out after 60 s",
            "  W4   skip: somebody else holds the key",
            "  W5   keep 10,000 leases alive, TTL 30 s: statements per second, CPU",
            "  W6   run once: first runs, replays from the store, replays from the local cache",
            "  W7   W1 with 1 thousand and 1 million records (--full: 10 million), W5 with ever more leases",
            "  W8   leasehold run -- true, the whole command, by a bare JVM that does the same by hand",
            "  W9   replays of finished records over HTTP, 64 clients, on PostgreSQL: the",
            "       analysis worker by a hand-written Spring controller that reads the row",
            "On Firestore, with Leasehold's own server, not Google's: W1, W2, W2x, W4.",
            "On rows of the user's own, on PostgreSQL, with the floor on such rows and Leasehold on its own tables:",
            "  R1   acquire and release, 1 and 8 threads",
            "  R2   replays of finished rows, 8 threads",
            "  R5   keep 10,000 leases alive, TTL 30 s: statements per second, CPU",
            "",
            "One cell on one store:",
            "  ./bench --cells W3a --stores postgres --threads 2 --contestants floor,leasehold",
            "The longest gap in 2,000 turns of eight nodes, and of two threads of one client:",
            "  ./bench --cells W3,W3a --threads 2 --stores postgres --turns 2000 --rounds 1",
            "",
            "Exit code: 0, or 1 if a key was held twice at once."
        })
public final class Bench implements Callable<Integer> {
    @Option(
            names = "--cells",
            split = ",",
            paramLabel = "CELL",
            defaultValue = "W1,W2,W2x,W3,W3a,W4,W5,W6,W7,W8,W9,R1,R2,R5",
            description = "What to measure; default: all.")
    private List<Cell> cells = List.of();

    @Option(
            names = "--stores",
            split = ",",
            paramLabel = "STORE",
            defaultValue = "postgres,mariadb,sqlite,redis,firestore",
            description = "Where: postgres, mariadb, sqlite, redis, firestore; default: all.")
    private List<StoreKind> stores = List.of();

    @Option(
            names = "--contestants",
            split = ",",
            paramLabel = "NAME",
            description = "Only these, such as floor,leasehold; default: all.")
    private List<String> names = List.of();

    @Option(
            names = "--rounds",
            defaultValue = "5",
            description = "Turns of each contestant; default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(names = "--seconds", defaultValue = "3", description = "Length of a turn; default: ${DEFAULT-VALUE}.")
    private double seconds;

    @Option(
            names = "--turns",
            paramLabel = "N",
            description = "End a turn after this many operations instead of --seconds.")
    private @Nullable Long operations;

    /** Every lease is renewed at least twice within a TTL. */
    @Option(
            names = "--window",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "W5 and W7: how long leases are kept alive; default: ${DEFAULT-VALUE}, which is the TTL.")
    private long keepingSeconds;

    @Option(
            names = "--threads",
            split = ",",
            paramLabel = "N",
            description = "W3a only with these numbers of threads: 2, 16, 500; default: all.")
    private List<Integer> threads = List.of();

    @Option(names = "--quick", description = "A smoke run: its numbers mean nothing.")
    private boolean isQuick;

    @Option(names = "--full", description = "Also what takes long: W7 with 10 million records.")
    private boolean isFull;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write the rows to this file.")
    private @Nullable Path json;

    @Option(names = "--plot", paramLabel = "FILE", description = "Also draw the ratios, as SVG.")
    private @Nullable Path plot;

    private final PrintWriter out;

    private Bench(PrintWriter out) {
        this.out = out;
    }

    /** Runs and exits. */
    public static void main(String[] arguments) {
        System.exit(commandLine(new PrintWriter(System.out, true, StandardCharsets.UTF_8))
                .execute(arguments));
    }

    static CommandLine commandLine(PrintWriter out) {
        return new CommandLine(new Bench(out))
                .setOut(out)
                .registerConverter(Cell.class, Cell::of)
                .registerConverter(StoreKind.class, StoreKind::of);
    }

    @Override
    public Integer call() throws Exception {
        Effort timed =
                isQuick ? Effort.of(1, 0.1) : Effort.of(rounds, seconds).keepingFor(Duration.ofSeconds(keepingSeconds));
        Effort effort = operations == null ? timed : timed.withOperations(operations);
        List<Row> rows = new ArrayList<>();
        Suite suite = new Suite(effort, isQuick, isFull, names, threads);
        for (StoreKind store : stores) {
            for (Cell cell : cells) {
                List<Row> measured = suite.run(cell, store);
                if (!measured.isEmpty()) {
                    out.println(Table.of(cell + " " + store, measured));
                }
                rows.addAll(measured);
            }
        }
        Path picture = plot;
        if (picture != null) {
            Files.writeString(picture, Plot.of(rows));
        }
        Path file = json;
        if (file != null) {
            JsonMapper.shared()
                    .writerWithDefaultPrettyPrinter()
                    .writeValue(file, rows.stream().map(Row::json).toList());
        }
        return rows.stream().anyMatch(Row::hasOverlaps) ? 1 : 0;
    }
}
