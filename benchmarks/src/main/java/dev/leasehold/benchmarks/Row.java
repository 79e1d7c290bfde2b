package dev.leasehold.benchmarks;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came out for one contestant in one cell on one store. What does not apply to a cell is null.
 *
 * @param variant what of the cell; for W6
 * @param records how many records the store has; for W7
 * @param leases how many leases are kept alive; for W5 and W7
 * @param opsPerSecond median over the rounds; changes of owner for W3
 * @param vsFloor its rate by the floor's in the same round, median over the rounds; for W5 its CPU time by the floor's
 * @param fairness turns of the node that had most by those of the node that had fewest; for W3
 * @param clientCpuMillisPerSecond CPU time of the benchmark's own process; for W5
 * @param storeCpuMillisPerSecond CPU time of the server; for W5
 * @param lost how many leases their holder knew to be lost at the end; for W5
 * @param overlaps how often a key was held twice at once, which must be never
 * @param refusals how often a free key was refused
 */
record Row(
        String cell,
        String store,
        String contestant,
        @Nullable String variant,
        @Nullable Long records,
        @Nullable Long leases,
        @Nullable Double opsPerSecond,
        @Nullable Double vsFloor,
        @Nullable Double p50Micros,
        @Nullable Double p99Micros,
        @Nullable Double statementsPerOp,
        @Nullable Double fairness,
        @Nullable Double statementsPerSecond,
        @Nullable Double clientCpuMillisPerSecond,
        @Nullable Double storeCpuMillisPerSecond,
        @Nullable Long lost,
        long overlaps,
        long refusals) {

    static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
