package dev.leasehold.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Knows what each cell consists of. */
final class Suite {
    private static final int RECORDS = 1_000;
    private static final int LEASES = 10_000;
    private static final int FEW = 64;
    private static final int MOST_KEEPING_ROUNDS = 3;

    private final Effort effort;
    private final boolean isQuick;
    private final boolean isFull;
    private final List<String> names;

    /**
     * What is asked for.
     *
     * @param names of contestants; none for all
     */
    Suite(Effort effort, boolean isQuick, boolean isFull, List<String> names) {
        this.effort = effort;
        this.isQuick = isQuick;
        this.isFull = isFull;
        this.names = names;
    }

    List<Row> run(Cell cell, StoreKind store) throws Exception {
        List<Row> rows = new ArrayList<>();
        switch (cell) {
            case W5 -> rows.addAll(keepAlive(cell, store, isQuick ? FEW : LEASES));
            case W6 -> {
                for (Cell variant : List.of(Cell.W6, Cell.W6_REPLAY, Cell.W6_CACHE)) {
                    rows.addAll(race(variant, store, isQuick ? 1 : RECORDS));
                }
            }
            case W7 -> {
                for (int records : sizes(RECORDS, 1_000_000, 10_000_000)) {
                    rows.addAll(race(cell, store, records));
                }
                for (int leases : sizes(1_000, 10_000, 100_000)) {
                    rows.addAll(keepAlive(cell, store, leases));
                }
            }
            default -> rows.addAll(race(cell, store, isQuick ? cell.threads : RECORDS));
        }
        return rows;
    }

    private List<Integer> sizes(int small, int middle, int large) {
        if (isQuick) {
            return List.of(FEW);
        }
        return isFull || large < 1_000_000 ? List.of(small, middle, large) : List.of(small, middle);
    }

    private List<Row> race(Cell cell, StoreKind store, int records) throws Exception {
        try (Bed bed = store.open();
                Race race = new Race(cell, bed, records, effort)) {
            return race.run(contestants(cell, store));
        }
    }

    private List<Row> keepAlive(Cell cell, StoreKind store, int leases) throws Exception {
        // Every lease is renewed at least twice within a TTL.
        Duration window = isQuick ? effort.slice() : Cell.W5.ttl();
        int rounds = cell == Cell.W5 ? Math.min(effort.rounds(), MOST_KEEPING_ROUNDS) : 1;
        List<Contestant> all = contestants(Cell.W5, store);
        List<Contestant> growing = all.stream()
                .filter(contestant -> !contestant.name().equals("shedlock"))
                .toList();
        try (Bed bed = store.open()) {
            return new KeepAlive(cell, bed, leases, rounds, window).run(cell == Cell.W5 ? all : growing);
        }
    }

    private List<Contestant> contestants(Cell cell, StoreKind store) {
        return Contestants.ALL.stream()
                .filter(contestant -> contestant.takesPart(cell, store))
                .filter(contestant -> names.isEmpty() || names.contains(contestant.name()))
                .toList();
    }
}
