package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * One cell on one database: every contestant gets a slice of time, then every contestant the next, and so on, so that
 * what else happens on the machine hits all of them alike. Who begins changes from round to round.
 */
final class Race implements AutoCloseable {
    private static final int HELD_KEYS = 100;

    private final Cell cell;
    private final Bed bed;
    private final int records;
    private final Effort effort;
    private final List<Lane> lanes = new ArrayList<>();

    /** A race over so many records; they are made beforehand for W7, and while warming up otherwise. */
    Race(Cell cell, Bed bed, int records, Effort effort) {
        this.cell = cell;
        this.bed = bed;
        this.records = records;
        this.effort = effort;
    }

    /** One contestant's part of the race. */
    private final class Lane {
        final Contestant contestant;
        final Team team;
        final KeySpace keys;
        final Exclusion exclusion = new Exclusion();
        final Work.Changes changes = new Work.Changes();
        final List<Round> rounds = new ArrayList<>();
        final long[] turns = new long[cell.nodes];
        final List<Node> rivals = new ArrayList<>();
        final List<Worker> holders = new ArrayList<>();
        final AtomicLong runs = new AtomicLong();
        double statementsPerOp;
        long refusals;

        Lane(Contestant contestant) throws Exception {
            this.contestant = contestant;
            // Contestants that share tables must not share keys that are held.
            String prefix = cell == Cell.W4 ? contestant.name() + "-" : KeySpace.PREFIX;
            int size = cell == Cell.W4 ? HELD_KEYS : records;
            this.keys = new KeySpace(prefix, size, cell.threads);
            this.team = Team.open(contestant, bed.source(), bed.store, cell);
        }

        Slice.Task task() {
            return switch (cell) {
                case W3 -> Work.inTurn("wanted-from-" + contestant.name(), exclusion, changes);
                case W4 -> Work.skip(keys, exclusion);
                case W6 -> Work.once(() -> "new-" + contestant.name() + runs.incrementAndGet(), exclusion);
                case W6_REPLAY, W6_CACHE -> Work.once(() -> keys.next(0), exclusion);
                default -> Work.alone(keys, exclusion);
            };
        }

        void warmUp() throws Exception {
            if (cell == Cell.W4) {
                Node rival = contestant.open(bed.source(), bed.store, cell);
                Worker holder = rival.worker();
                holders.add(holder);
                rivals.add(rival);
                for (String key : keys.of(0)) {
                    if (holder.tryAcquire(key).isEmpty()) {
                        throw new IllegalStateException(contestant.name() + " refused " + key);
                    }
                }
            }
            useEveryKey(team.workers());
            Slice.run(team.workers(), effort.warmUp(), task());
        }

        /** Makes the records, and lets clients that treat a name's first use differently get it over with. */
        private void useEveryKey(List<Worker> workers) throws Exception {
            if (cell == Cell.W6_REPLAY || cell == Cell.W6_CACHE) {
                for (String key : keys.of(0)) {
                    workers.get(0).once(key);
                    workers.get(0).once(key);
                }
            }
            if (cell != Cell.W1 && cell != Cell.W2 && cell != Cell.W2X) {
                return;
            }
            for (int thread = 0; thread < workers.size(); thread++) {
                for (String key : keys.of(thread)) {
                    Optional<Worker.Hold> hold = workers.get(thread).tryAcquire(key);
                    if (hold.isPresent()) {
                        hold.get().release();
                    }
                }
            }
        }

        void round() throws Exception {
            long before = changes.count();
            Slice slice = Slice.run(team.workers(), effort.slice(), task());
            Samples all = slice.all();
            double rate = cell == Cell.W3 ? (changes.count() - before) / slice.seconds() : slice.perSecond();
            rounds.add(new Round(rate, all.micros(0.5), all.micros(0.99)));
            refusals += all.refusals();
            for (int i = 0; i < turns.length && cell == Cell.W3; i++) {
                turns[i] += slice.perThread().get(i).count();
            }
        }

        /** On clients of their own, because counting slows them down. */
        void count() throws Exception {
            CountingSource counting = new CountingSource(bed.source(), bed.store);
            try (Team counted = Team.open(contestant, counting, bed.store, cell)) {
                useEveryKey(counted.workers());
                Slice.run(counted.workers(), effort.counting(), task());
                long before = counting.count();
                Slice slice = Slice.run(counted.workers(), effort.counting(), task());
                statementsPerOp = (counting.count() - before)
                        / (double) Math.max(1, slice.all().count());
            }
        }

        Row row(Optional<Lane> floor) {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; floor.isPresent() && i < rounds.size(); i++) {
                ratios.add(rounds.get(i).rate() / floor.get().rounds.get(i).rate());
            }
            RowBuilder row = new RowBuilder(cell, bed.store, contestant.name());
            row.opsPerSecond = Row.median(rounds.stream().map(Round::rate).toList());
            row.vsFloor = ratios.isEmpty() ? null : Row.median(ratios);
            row.p50Micros = Row.median(rounds.stream().map(Round::p50).toList());
            row.p99Micros = Row.median(rounds.stream().map(Round::p99).toList());
            row.statementsPerOp = statementsPerOp;
            row.records = cell == Cell.W7 ? (long) records : null;
            row.overlaps = exclusion.overlaps();
            row.refusals = refusals;
            if (cell == Cell.W3) {
                row.fairness = Fairness.of(turns);
            }
            return row.build();
        }
    }

    private record Round(double rate, double p50, double p99) {}

    List<Row> run(List<Contestant> contestants) throws Exception {
        DataSource source = bed.source();
        for (Contestant contestant : contestants) {
            contestant.createTables(source, bed.store);
        }
        for (Contestant contestant : contestants) {
            if (cell == Cell.W7) {
                bed.fill(contestant, records);
            }
            Lane lane = new Lane(contestant);
            lanes.add(lane);
            lane.warmUp();
        }
        for (int round = 0; round < effort.rounds(); round++) {
            for (int i = 0; i < lanes.size(); i++) {
                lanes.get((i + round) % lanes.size()).round();
            }
        }
        for (Lane lane : lanes) {
            lane.count();
        }
        Optional<Lane> floor = lanes.stream()
                .filter(lane -> lane.contestant.name().equals("floor"))
                .findFirst();
        return lanes.stream().map(lane -> lane.row(floor)).toList();
    }

    @Override
    public void close() throws SQLException {
        for (Lane lane : lanes) {
            lane.team.close();
            for (Worker holder : lane.holders) {
                holder.close();
            }
            for (Node rival : lane.rivals) {
                rival.close();
            }
        }
    }
}
