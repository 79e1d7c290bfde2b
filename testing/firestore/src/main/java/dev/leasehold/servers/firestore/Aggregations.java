package dev.leasehold.servers.firestore;

import com.google.firestore.v1.AggregationResult;
import com.google.firestore.v1.StructuredAggregationQuery.Aggregation;
import com.google.firestore.v1.Value;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Count, sum and average over the result of a query. */
final class Aggregations {
    private static final int MAX = 5;

    private Aggregations() {}

    static void check(List<Aggregation> aggregations) {
        if (aggregations.isEmpty() || aggregations.size() > MAX) {
            throw Refusals.invalid("A query has between 1 and " + MAX + " aggregations");
        }
        Set<String> aliases = new HashSet<>();
        for (Aggregation aggregation : aggregations) {
            if (aggregation.getOperatorCase() == Aggregation.OperatorCase.OPERATOR_NOT_SET) {
                throw Refusals.invalid("An aggregation without an operator");
            }
            if (aggregation.getCount().hasUpTo()
                    && aggregation.getCount().getUpTo().getValue() <= 0) {
                throw Refusals.invalid("A count's up_to must be positive");
            }
            if (!aggregation.getAlias().isEmpty() && !aliases.add(aggregation.getAlias())) {
                throw Refusals.invalid("Two aggregations have the alias " + aggregation.getAlias());
            }
        }
    }

    /** Returns the fields that are summed or averaged. */
    static List<FieldPath> fields(List<Aggregation> aggregations) {
        return aggregations.stream()
                .filter(aggregation -> !aggregation.hasCount())
                .map(Aggregations::path)
                .distinct()
                .toList();
    }

    /** Aggregates over the documents that have every field that is summed or averaged. */
    static AggregationResult over(List<Version> result, List<Aggregation> aggregations) {
        List<FieldPath> paths = fields(aggregations);
        List<Version> found = result.stream()
                .filter(version -> paths.stream().allMatch(path -> path.get(version.contents()) != null))
                .toList();
        return summary(found, aggregations);
    }

    private static AggregationResult summary(List<Version> found, List<Aggregation> aggregations) {
        AggregationResult.Builder result = AggregationResult.newBuilder();
        int unnamed = 0;
        for (Aggregation aggregation : aggregations) {
            String alias = aggregation.getAlias().isEmpty() ? "field_" + ++unnamed : aggregation.getAlias();
            result.putAggregateFields(alias, over(found, aggregation));
        }
        return result.build();
    }

    private static Value over(List<Version> found, Aggregation aggregation) {
        return switch (aggregation.getOperatorCase()) {
            case COUNT -> {
                long upTo = aggregation.getCount().hasUpTo()
                        ? aggregation.getCount().getUpTo().getValue()
                        : Long.MAX_VALUE;
                yield Values.of(Math.min(found.size(), upTo));
            }
            case SUM -> sum(numbers(found, path(aggregation)));
            case AVG -> average(numbers(found, path(aggregation)));
            case OPERATOR_NOT_SET -> throw Refusals.invalid("An aggregation without an operator");
        };
    }

    private static FieldPath path(Aggregation aggregation) {
        return FieldPath.parse(
                aggregation.hasSum()
                        ? aggregation.getSum().getField().getFieldPath()
                        : aggregation.getAvg().getField().getFieldPath());
    }

    private static List<Value> numbers(List<Version> found, FieldPath path) {
        return new ArrayList<>(found.stream()
                .map(version -> path.get(version.contents()))
                .filter(Objects::nonNull)
                .filter(Values::isNumber)
                .toList());
    }

    /** An integer if all numbers are and the sum fits, otherwise a double. */
    private static Value sum(List<Value> numbers) {
        if (numbers.stream().allMatch(Value::hasIntegerValue)) {
            BigInteger sum = numbers.stream()
                    .map(number -> BigInteger.valueOf(number.getIntegerValue()))
                    .reduce(BigInteger.ZERO, BigInteger::add);
            return sum.bitLength() < Long.SIZE ? Values.of(sum.longValue()) : Values.of(sum.doubleValue());
        }
        return Values.of(numbers.stream().mapToDouble(Values::toDouble).sum());
    }

    private static Value average(List<Value> numbers) {
        return numbers.isEmpty() ? Values.NULL : Values.of(Values.toDouble(sum(numbers)) / numbers.size());
    }
}
