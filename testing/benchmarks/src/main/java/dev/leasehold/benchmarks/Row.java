package dev.leasehold.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** What came out for one contestant in one cell on one store. What does not apply to a cell is absent. */
final class Row {
    final Cell cell;
    final StoreKind store;
    final String contestant;
    private final Map<Column, Number> numbers = new EnumMap<>(Column.class);

    Row(Cell cell, StoreKind store, String contestant) {
        this.cell = cell;
        this.store = store;
        this.contestant = contestant;
    }

    Row set(Column column, long value) {
        numbers.put(column, value);
        return this;
    }

    /** Three digits are enough; infinity says nothing. */
    Row set(Column column, double value) {
        if (Double.isFinite(value)) {
            numbers.put(column, Math.round(value * 1_000) / 1_000.0);
        }
        return this;
    }

    @Nullable
    Number get(Column column) {
        return numbers.get(column);
    }

    boolean hasOverlaps() {
        Number overlaps = get(Column.OVERLAPS);
        return overlaps != null && overlaps.longValue() > 0;
    }

    /** All fields, those that do not apply as null. */
    Map<String, Object> json() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("cell", cell.title);
        fields.put("store", store.toString());
        fields.put("contestant", contestant);
        fields.put("variant", cell.variant());
        for (Column column : Column.values()) {
            fields.put(column.field, numbers.get(column));
        }
        return fields;
    }

    static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    static <T> double median(List<T> rounds, ToDoubleFunction<T> value) {
        return median(rounds.stream().map(value::applyAsDouble).toList());
    }

    /** The median of one's values by the other's in the same round. */
    static <T> double ratio(List<T> rounds, List<T> others, ToDoubleFunction<T> value) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < rounds.size(); i++) {
            ratios.add(value.applyAsDouble(rounds.get(i)) / value.applyAsDouble(others.get(i)));
        }
        return median(ratios);
    }
}
