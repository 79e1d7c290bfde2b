package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Knows what each cell consists of. */
final class Suite {
    private static final int RECORDS = 1_000;
    private static final int LEASES = 10_000;
    private static final int FEW = 64;
    private static final int MOST_KEEPING_ROUNDS = 3;
    /** How many starts stand for a round. */
    private static final int STARTS = 6;
    /** A web application that has just started needs some ten thousand requests until its code is compiled. */
    private static final Duration APPLICATION_WARM_UP = Duration.ofSeconds(10);

    private final Effort effort;
    private final boolean isQuick;
    private final boolean isFull;
    private final List<String> names;
    private final List<Integer> threads;

    /**
     * What is asked for.
     *
     * @param names of contestants; none for all
     * @param threads numbers of threads in W3a; none for all
     */
    Suite(Effort effort, boolean isQuick, boolean isFull, List<String> names, List<Integer> threads) {
        this.effort = effort;
        this.isQuick = isQuick;
        this.isFull = isFull;
        this.names = names;
        this.threads = threads;
    }

    List<Row> run(Cell cell, StoreKind store) throws Exception {
        if (!cell.isOn(store)) {
            return List.of();
        }
        int records = isQuick ? cell.threads : RECORDS;
        return switch (cell) {
            case W1, W2, W2X -> race(Event.ALONE, cell, store, records);
            case W3 -> race(Event.IN_TURN, cell, store, records);
            case W3A_2, W3A_16, W3A_500, W3A_2_BUSY, W3A_16_BUSY, W3A_500_BUSY -> {
                List<Row> rows = new ArrayList<>();
                for (Cell one : Cell.ofOneClient(threads)) {
                    rows.addAll(race(Event.ofOneClient(one), one, store, records));
                }
                yield rows;
            }
            case W4 -> race(Event.SKIP, cell, store, records);
            case W5 -> {
                int rounds = Math.min(effort.rounds(), MOST_KEEPING_ROUNDS);
                yield keepAlive(Contestant.Keeps.class, cell, store, isQuick ? FEW : LEASES, rounds);
            }
            case W6, W6_REPLAY, W6_CACHE -> {
                List<Row> rows = new ArrayList<>();
                rows.addAll(race(Event.FIRST_RUN, Cell.W6, store, records));
                rows.addAll(race(Event.REPLAY, Cell.W6_REPLAY, store, records));
                rows.addAll(race(Event.CACHED, Cell.W6_CACHE, store, records));
                yield rows;
            }
            case W7 -> {
                List<Row> rows = new ArrayList<>();
                for (int size : sizes(RECORDS, 1_000_000, 10_000_000)) {
                    rows.addAll(grown(cell, store, size));
                }
                for (int leases : sizes(1_000, 10_000, 100_000)) {
                    rows.addAll(keepAlive(Contestant.KeepsMany.class, cell, store, leases, 1));
                }
                yield rows;
            }
            case W8 -> startUp(cell, store);
            case W9 -> {
                Effort warm = isQuick ? effort : effort.withWarmUp(APPLICATION_WARM_UP);
                yield race(Event.SERVED, cell, store, AnalysisRows.FINISHED, warm);
            }
            case R1, R1_8 -> {
                List<Row> rows = new ArrayList<>();
                rows.addAll(race(Event.ALONE, Cell.R1, store, records));
                rows.addAll(race(Event.ALONE, Cell.R1_8, store, isQuick ? Cell.R1_8.threads : RECORDS));
                yield rows;
            }
            case R2 -> race(Event.REPLAY, cell, store, records);
            case R5 -> {
                int rounds = Math.min(effort.rounds(), MOST_KEEPING_ROUNDS);
                yield keepAlive(Contestant.Keeps.class, cell, store, isQuick ? FEW : LEASES, rounds);
            }
        };
    }

    private List<Row> startUp(Cell cell, StoreKind store) throws Exception {
        try (Bed bed = store.open()) {
            return new StartUp(cell, bed, isQuick ? 1 : effort.rounds() * STARTS)
                    .run(entrants(Contestant.Starts.class, cell, bed));
        }
    }

    private List<Integer> sizes(int small, int middle, int large) {
        if (isQuick) {
            return List.of(FEW);
        }
        return isFull || large < 1_000_000 ? List.of(small, middle, large) : List.of(small, middle);
    }

    private <C extends Contestant, W extends Worker> List<Row> race(
            Event<C, W> event, Cell cell, StoreKind store, int records) throws Exception {
        return race(event, cell, store, records, effort);
    }

    private <C extends Contestant, W extends Worker> List<Row> race(
            Event<C, W> event, Cell cell, StoreKind store, int records, Effort effort) throws Exception {
        try (Bed bed = store.open();
                Race<C, W> race = new Race<>(event, cell, bed, records, effort)) {
            return race.run(entrants(event.type(), cell, bed));
        }
    }

    private List<Row> grown(Cell cell, StoreKind store, int records) throws Exception {
        try (Bed bed = store.open();
                Race<Contestant.Grows, Worker.Locker> race = new Race<>(Event.GROWN, cell, bed, records, effort)) {
            List<Contestant.Grows> entrants = entrants(Event.GROWN.type(), cell, bed);
            for (Contestant.Grows contestant : entrants) {
                bed.fill(contestant, records);
            }
            return race.run(entrants);
        }
    }

    private List<Row> keepAlive(
            Class<? extends Contestant.Keeps> type, Cell cell, StoreKind store, int leases, int rounds)
            throws Exception {
        try (Bed bed = store.open()) {
            return new KeepAlive(cell, bed, leases, rounds, effort.window()).run(entrants(type, cell, bed));
        }
    }

    /** Those who can do it, know the store and are asked for, with their tables. */
    private <C extends Contestant> List<C> entrants(Class<C> type, Cell cell, Bed bed) throws SQLException {
        List<C> entrants = Contestants.of(cell).stream()
                .filter(type::isInstance)
                .map(type::cast)
                .filter(contestant -> contestant.knows(bed.store))
                .filter(contestant -> names.isEmpty() || names.contains(contestant.name()))
                .toList();
        for (C contestant : entrants) {
            contestant.createTables(bed);
        }
        return entrants;
    }
}
