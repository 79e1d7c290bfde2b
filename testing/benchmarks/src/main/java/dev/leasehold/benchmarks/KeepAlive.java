package dev.leasehold.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What it costs to keep leases alive: every contestant in turn holds all of them for a while. Statements are counted
 * meanwhile, since there is no rate to slow down; afterwards a rival tries to get some of the leases.
 */
final class KeepAlive {
    private static final int TRIED = 100;

    private final Cell cell;
    private final Bed bed;
    private final int leases;
    private final int rounds;
    private final Duration window;

    KeepAlive(Cell cell, Bed bed, int leases, int rounds, Duration window) {
        this.cell = cell;
        this.bed = bed;
        this.leases = leases;
        this.rounds = rounds;
        this.window = window;
    }

    private record Cost(double statements, double clientMillis, double storeMillis, long lost, long overlaps) {
        double cpuMillis() {
            return clientMillis + storeMillis;
        }
    }

    /** Lets contestants keep leases whose tables are there. */
    List<Row> run(List<? extends Contestant.Keeps> contestants) throws Exception {
        Map<Contestant.Keeps, List<Cost>> costs = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            for (Contestant.Keeps contestant : contestants) {
                costs.computeIfAbsent(contestant, c -> new ArrayList<>()).add(keep(contestant, round));
            }
        }
        Optional<List<Cost>> floor = costs.entrySet().stream()
                .filter(entry -> entry.getKey().name().equals("floor"))
                .map(Map.Entry::getValue)
                .findFirst();
        List<Row> rows = new ArrayList<>();
        costs.forEach((contestant, cost) -> rows.add(row(contestant, cost, floor)));
        return rows;
    }

    private Cost keep(Contestant.Keeps contestant, int round) throws Exception {
        KeySpace keys = new KeySpace("kept-" + round + "-", leases, 1);
        try (CountedWay way = bed.counted();
                Node<Worker.Keeper> node = contestant.keeping(way.bed(), Cell.W5);
                Worker.Keeper keeper = node.worker()) {
            keeper.keep(keys.of(0));
            long statements = way.count();
            double client = clientMillis() - way.cpuMillis();
            double store = storeMillis();
            Thread.sleep(window.toMillis());
            double seconds = window.toMillis() / 1_000.0;
            return new Cost(
                    (way.count() - statements) / seconds,
                    (clientMillis() - way.cpuMillis() - client) / seconds,
                    (storeMillis() - store) / seconds,
                    keeper.lost(),
                    overlaps(contestant, keys));
        }
    }

    private long overlaps(Contestant.Locks contestant, KeySpace keys) throws Exception {
        long overlaps = 0;
        try (Node<Worker.Locker> rival = contestant.locking(bed, Cell.W5);
                Worker.Locker worker = rival.worker()) {
            for (int i = 0; i < TRIED; i++) {
                overlaps += worker.tryAcquire(keys.next(0)).isPresent() ? 1 : 0;
            }
        }
        return overlaps;
    }

    private static double clientMillis() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime() / 1e6;
    }

    /** Of all servers that this process started; those that are not asked do next to nothing. */
    private static double storeMillis() {
        return ProcessHandle.current()
                .descendants()
                .map(process -> process.info().totalCpuDuration().orElse(Duration.ZERO))
                .mapToLong(Duration::toMillis)
                .sum();
    }

    private Row row(Contestant contestant, List<Cost> costs, Optional<List<Cost>> floor) {
        Row row = new Row(cell, bed.store, contestant.name())
                .set(Column.LEASES, leases)
                .set(Column.STATEMENTS_PER_SECOND, Row.median(costs, Cost::statements))
                .set(Column.CLIENT_CPU, Row.median(costs, Cost::clientMillis))
                .set(Column.STORE_CPU, Row.median(costs, Cost::storeMillis))
                .set(Column.LOST, costs.stream().mapToLong(Cost::lost).sum())
                .set(Column.OVERLAPS, costs.stream().mapToLong(Cost::overlaps).sum())
                .set(Column.REFUSALS, 0);
        floor.ifPresent(cheapest -> row.set(Column.VS_FLOOR, Row.ratio(costs, cheapest, Cost::cpuMillis)));
        return row;
    }
}
