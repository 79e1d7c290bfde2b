package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One cell on one database: every contestant gets a slice of time, then every contestant the next, and so on, so that
 * what else happens on the machine hits all of them alike. Who begins changes from round to round.
 */
final class Race<C extends Contestant, W extends Worker> implements AutoCloseable {
    private final Event<C, W> event;
    private final Cell cell;
    private final Bed bed;
    private final int records;
    private final Effort effort;
    private final List<Lane> lanes = new ArrayList<>();

    /** A race over so many records. */
    Race(Event<C, W> event, Cell cell, Bed bed, int records, Effort effort) {
        this.event = event;
        this.cell = cell;
        this.bed = bed;
        this.records = records;
        this.effort = effort;
    }

    /** One contestant's part of the race. */
    private final class Lane {
        final C contestant;
        final Work<W> work;
        final Team<W> team;
        final List<Round> rounds = new ArrayList<>();
        final long[] turns = new long[cell.nodes * cell.threads];
        double statementsPerOp = Double.NaN;
        long refusals;
        long timeouts;
        double longestGapMillis;

        Lane(C contestant) throws Exception {
            this.contestant = contestant;
            // Nobody else wants a contestant's keys, nor does another contestant that has the same table.
            String prefix = contestant instanceof Contestant.Grows ? KeySpace.PREFIX : contestant.name() + "-";
            KeySpace keys = new KeySpace(prefix, records, cell.threads);
            this.work = event.start().work(contestant.name(), keys, () -> client(bed));
            this.team = team(bed);
        }

        private Node<W> client(Bed by) throws Exception {
            return event.opening().open(contestant, by, cell);
        }

        private Team<W> team(Bed by) throws Exception {
            return Team.open(() -> client(by), cell);
        }

        void warmUp() throws Exception {
            work.prepare(team.workers());
            Slice.run(team.workers(), effort.warmUp(), work);
        }

        void round() throws Exception {
            Slice slice = Slice.run(team.workers(), effort.slice(), effort.operations(), work);
            Samples all = slice.all();
            double turnsRate = slice.turnsPerSecond();
            rounds.add(new Round(slice.perSecond(), all.micros(0.5), all.micros(0.99), turnsRate, alone()));
            refusals += all.refusals();
            timeouts += all.timeouts();
            longestGapMillis = Math.max(longestGapMillis, all.longestGapMillis());
            for (int i = 0; i < turns.length; i++) {
                turns[i] += slice.perThread().get(i).count();
            }
        }

        /** The turns per second of one thread alone, in W3a. */
        private double alone() throws Exception {
            return cell.isOfOneClient()
                    ? Slice.run(team.workers().subList(0, 1), effort.counting(), work)
                            .turnsPerSecond()
                    : Double.NaN;
        }

        /** On clients of their own, because counting slows them down. */
        void count() throws Exception {
            try (CountedWay way = bed.counted();
                    Team<W> counted = team(way.bed())) {
                work.prepare(counted.workers());
                Slice.run(counted.workers(), effort.counting(), work);
                long before = way.count();
                Slice slice = Slice.run(counted.workers(), effort.counting(), work);
                statementsPerOp = (way.count() - before)
                        / (double) Math.max(1, slice.all().count());
            }
        }

        Row row(Optional<Lane> floor) {
            Row row = new Row(cell, bed.store, contestant.name())
                    .set(Column.PER_SECOND, Row.median(rounds, Round::rate))
                    .set(Column.P50, Row.median(rounds, Round::p50))
                    .set(Column.P99, Row.median(rounds, Round::p99))
                    .set(Column.STATEMENTS_PER_OP, statementsPerOp)
                    .set(Column.OVERLAPS, work.exclusion.overlaps())
                    .set(Column.REFUSALS, refusals);
            floor.ifPresent(other -> row.set(Column.VS_FLOOR, Row.ratio(rounds, other.rounds, Round::rate)));
            if (cell == Cell.W7) {
                row.set(Column.RECORDS, records);
            }
            if (cell.isInTurn()) {
                row.set(Column.TURNS, Row.median(rounds, Round::turns))
                        .set(Column.VS_ALONE, Row.median(rounds, round -> round.turns() / round.alone()))
                        .set(Column.FAIRNESS, Fairness.of(turns))
                        .set(Column.LONGEST_GAP, longestGapMillis)
                        .set(Column.TIMEOUTS, timeouts);
            }
            return row;
        }

        void close() throws SQLException {
            team.close();
            work.close();
        }
    }

    /**
     * What came out of one slice.
     *
     * @param alone the turns of one thread alone, if they were measured
     */
    private record Round(double rate, double p50, double p99, double turns, double alone) {}

    /** Lets contestants race whose tables are there. */
    List<Row> run(List<C> contestants) throws Exception {
        for (C contestant : contestants) {
            Lane lane = new Lane(contestant);
            lanes.add(lane);
            lane.warmUp();
        }
        for (int round = 0; round < effort.rounds(); round++) {
            for (int i = 0; i < lanes.size(); i++) {
                lanes.get((i + round) % lanes.size()).round();
            }
        }
        if (cell.isCounted()) {
            for (Lane lane : lanes) {
                lane.count();
            }
        }
        Optional<Lane> floor = lanes.stream()
                .filter(lane -> lane.contestant.name().equals("floor"))
                .findFirst();
        return lanes.stream().map(lane -> lane.row(floor)).toList();
    }

    @Override
    public void close() throws SQLException {
        for (Lane lane : lanes) {
            lane.close();
        }
    }
}
