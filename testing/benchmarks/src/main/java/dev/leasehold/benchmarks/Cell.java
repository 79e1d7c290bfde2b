package dev.leasehold.benchmarks;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is measured. */
enum Cell {
    W1("W1", 1, 1, "acquire and release keys that nobody else wants, one thread"),
    W2("W2", 1, 8, "the same, 8 threads"),
    W2X("W2x", 1, 64, "the same, 64 threads"),
    W3("W3", 8, 1, Duration.ofMillis(1), "8 nodes wait for one key, 1 ms of work: changes of owner, time waited"),
    W3A_2("W3a", 1, 2, Duration.ZERO, "threads of one client take turns on one key"),
    W3A_16("W3a", 1, 16, Duration.ZERO, W3A_2.work),
    W3A_500("W3a", 1, 500, Duration.ZERO, W3A_2.work),
    W3A_2_BUSY("W3a", 1, 2, Duration.ofMillis(1), W3A_2.work),
    W3A_16_BUSY("W3a", 1, 16, Duration.ofMillis(1), W3A_2.work),
    W3A_500_BUSY("W3a", 1, 500, Duration.ofMillis(1), W3A_2.work),
    W4("W4", 1, 1, "skip: somebody else holds the key"),
    W5("W5", 1, 1, "keep 10,000 leases alive, TTL 30 s"),
    W6("W6", 1, 1, "run once: first runs"),
    W6_REPLAY("W6", 1, 1, "replays from the store"),
    W6_CACHE("W6", 1, 1, "replays from the local cache"),
    W7("W7", 1, 1, "W1 with ever more records, W5 with ever more leases"),
    W8("W8", 1, 1, "leasehold run -- true, the whole command"),
    W9("W9", 1, 64, "replays of finished records over HTTP, 64 clients"),
    R1("R1", 1, 1, "acquire and release rows of the user's that nobody else wants, one thread"),
    R1_8("R1", 1, 8, "the same, 8 threads"),
    R2("R2", 1, 8, "replays of finished rows, 8 threads"),
    R5("R5", 1, 1, "keep 10,000 leases on rows of the user's alive, TTL 30 s");

    final String title;
    final int nodes;
    /** Per node. */
    final int threads;

    /** The time for which a worker keeps the key, where all workers want the same one. */
    final Duration task;

    final String work;

    Cell(String title, int nodes, int threads, String work) {
        this(title, nodes, threads, Duration.ZERO, work);
    }

    Cell(String title, int nodes, int threads, Duration task, String work) {
        this.title = title;
        this.nodes = nodes;
        this.threads = threads;
        this.task = task;
        this.work = work;
    }

    static Cell of(String title) {
        return Arrays.stream(values())
                .filter(cell -> cell.title.equalsIgnoreCase(title.strip()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No cell " + title + "; there are "
                        + Arrays.stream(values()).map(Cell::toString).distinct().toList() + "."));
    }

    /** The cells of W3a with these numbers of threads, or all if none is given. */
    static List<Cell> ofOneClient(List<Integer> threads) {
        List<Cell> all = List.of(W3A_2, W3A_2_BUSY, W3A_16, W3A_16_BUSY, W3A_500, W3A_500_BUSY);
        List<Cell> some = all.stream()
                .filter(cell -> threads.isEmpty() || threads.contains(cell.threads))
                .toList();
        if (some.isEmpty()) {
            throw new IllegalArgumentException("W3a has 2, 16 or 500 threads, not " + threads + ".");
        }
        return some;
    }

    /** True if all workers want one key. */
    boolean isInTurn() {
        return this == W3 || isOfOneClient();
    }

    /** True for W3a. */
    boolean isOfOneClient() {
        return title.equals(W3A_2.title);
    }

    /** True if this cell has contestants on the store. */
    boolean isOn(StoreKind store) {
        return switch (this) {
            // The bare JVM knows one statement for a lock. On MariaDB it takes two kinds, and elsewhere none.
            case W8 -> store == StoreKind.POSTGRES || store == StoreKind.SQLITE;
            case W9, R1, R1_8, R2, R5 -> store == StoreKind.POSTGRES;
            case W1, W2, W2X, W4 -> true;
            default -> store != StoreKind.FIRESTORE;
        };
    }

    /** True if the requests to the store are counted. An application's are not: it has connections of its own. */
    boolean isCounted() {
        return this != W9;
    }

    /** True for cells on rows of the user's. */
    boolean isOnRows() {
        return title.startsWith("R");
    }

    /** How long locks are taken for. Where they are held through a whole race, nobody renews them. */
    Duration ttl() {
        return this == W4 ? Duration.ofHours(1) : Duration.ofSeconds(30);
    }

    /** What tells it from other cells with the same title. */
    @Nullable
    String variant() {
        if (isOfOneClient()) {
            return threads + " threads, " + task.toMillis() + " ms";
        }
        return switch (this) {
            case W6 -> "first run";
            case W6_REPLAY -> "replay";
            case W6_CACHE -> "cached";
            case R1 -> "1 thread";
            case R1_8 -> "8 threads";
            default -> null;
        };
    }

    @Override
    public String toString() {
        return title;
    }
}
