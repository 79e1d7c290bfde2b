package dev.leasehold.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How long a whole command takes, from its start to its end: every contestant's once, then every contestant's again. */
final class StartUp {
    private static final int WARM_UP = 2;

    private final Cell cell;
    private final Bed bed;
    private final int turns;

    StartUp(Cell cell, Bed bed, int turns) {
        this.cell = cell;
        this.bed = bed;
        this.turns = turns;
    }

    /** Lets contestants start whose tables are there. */
    List<Row> run(List<? extends Contestant.Starts> contestants) throws Exception {
        Map<Contestant.Starts, List<Long>> times = new LinkedHashMap<>();
        for (int turn = -WARM_UP; turn < turns; turn++) {
            for (Contestant.Starts contestant : contestants) {
                long nanos = time(contestant);
                if (turn >= 0) {
                    times.computeIfAbsent(contestant, c -> new ArrayList<>()).add(nanos);
                }
            }
        }
        Optional<List<Long>> floor = times.entrySet().stream()
                .filter(entry -> entry.getKey().name().equals("floor"))
                .map(Map.Entry::getValue)
                .findFirst();
        List<Row> rows = new ArrayList<>();
        times.forEach((contestant, nanos) -> rows.add(row(contestant, nanos, floor)));
        return rows;
    }

    private long time(Contestant.Starts contestant) throws Exception {
        ProcessBuilder command = contestant.command(bed, "start");
        command.redirectInput(ProcessBuilder.Redirect.PIPE)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        long start = System.nanoTime();
        int code = command.start().waitFor();
        long nanos = System.nanoTime() - start;
        if (code != 0) {
            throw new IllegalStateException(contestant.name() + " ended with " + code);
        }
        return nanos;
    }

    private Row row(Contestant contestant, List<Long> nanos, Optional<List<Long>> floor) {
        Samples samples = new Samples();
        nanos.forEach(samples::add);
        Samples sorted = Samples.merged(List.of(samples));
        Row row = new Row(cell, bed.store, contestant.name())
                .set(Column.PER_SECOND, 1e9 / Row.median(nanos, Long::doubleValue))
                .set(Column.P50, sorted.micros(0.5))
                .set(Column.P99, sorted.micros(0.99));
        floor.ifPresent(other -> row.set(Column.VS_FLOOR, Row.ratio(other, nanos, Long::doubleValue)));
        return row;
    }
}
