package dev.leasehold.benchmarks;

import org.jspecify.annotations.Nullable;

/** Gathers what a row says. */
final class RowBuilder {
    private final Cell cell;
    private final StoreKind store;
    private final String contestant;

    @Nullable
    Long records;

    @Nullable
    Long leases;

    @Nullable
    Double opsPerSecond;

    @Nullable
    Double vsFloor;

    @Nullable
    Double p50Micros;

    @Nullable
    Double p99Micros;

    @Nullable
    Double statementsPerOp;

    @Nullable
    Double fairness;

    @Nullable
    Double statementsPerSecond;

    @Nullable
    Double clientCpu;

    @Nullable
    Double storeCpu;

    @Nullable
    Long lost;

    long overlaps;
    long refusals;

    RowBuilder(Cell cell, StoreKind store, String contestant) {
        this.cell = cell;
        this.store = store;
        this.contestant = contestant;
    }

    Row build() {
        return new Row(
                cell.title,
                store.toString(),
                contestant,
                cell.variant(),
                records,
                leases,
                rounded(opsPerSecond),
                rounded(vsFloor),
                rounded(p50Micros),
                rounded(p99Micros),
                rounded(statementsPerOp),
                rounded(fairness),
                rounded(statementsPerSecond),
                rounded(clientCpu),
                rounded(storeCpu),
                lost,
                overlaps,
                refusals);
    }

    private static @Nullable Double rounded(@Nullable Double value) {
        return value == null || !Double.isFinite(value) ? null : Math.round(value * 1_000) / 1_000.0;
    }
}
