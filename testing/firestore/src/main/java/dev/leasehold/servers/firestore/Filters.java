package dev.leasehold.servers.firestore;

import com.google.firestore.v1.StructuredQuery.CompositeFilter;
import com.google.firestore.v1.StructuredQuery.FieldFilter;
import com.google.firestore.v1.StructuredQuery.Filter;
import com.google.firestore.v1.StructuredQuery.UnaryFilter;
import com.google.firestore.v1.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The conditions of a query. */
final class Filters {
    private static final int MAX_DISJUNCTIONS = 30;
    private static final int MAX_NOT_IN = 10;

    private Filters() {}

    /** Refuses conditions that Firestore refuses. */
    static void check(Filter filter) {
        List<List<Filter>> terms = disjuncts(filter);
        long disjunctions = terms.stream()
                .mapToLong(
                        term -> term.stream().mapToLong(Filters::alternatives).reduce(1, (a, b) -> a * b))
                .sum();
        if (disjunctions > MAX_DISJUNCTIONS) {
            throw Refusals.invalid("The query has " + disjunctions + " disjunctions, more than " + MAX_DISJUNCTIONS);
        }
        terms.forEach(term -> term.forEach(Filters::checkOne));
        List<Filter> all = terms.stream().flatMap(List::stream).distinct().toList();
        long negations = all.stream().filter(Filters::isNegation).count();
        boolean hasNotIn = all.stream().anyMatch(one -> one.getFieldFilter().getOp() == FieldFilter.Operator.NOT_IN);
        if (negations > 1 || (hasNotIn && disjunctions > 1)) {
            throw Refusals.invalid(
                    "At most one of !=, not-in, is-not-null and is-not-nan; not-in allows no OR and no in");
        }
    }

    /** Returns whether the document meets the condition; fields are looked up by the function. */
    static boolean matches(Filter filter, Function<FieldPath, @Nullable Value> fields) {
        return switch (filter.getFilterTypeCase()) {
            case COMPOSITE_FILTER -> {
                CompositeFilter composite = filter.getCompositeFilter();
                yield composite.getOp() == CompositeFilter.Operator.AND
                        ? composite.getFiltersList().stream().allMatch(part -> matches(part, fields))
                        : composite.getFiltersList().stream().anyMatch(part -> matches(part, fields));
            }
            case FIELD_FILTER -> {
                Value value = fields.apply(path(filter));
                yield value != null && matches(filter.getFieldFilter(), value);
            }
            case UNARY_FILTER -> {
                Value value = fields.apply(path(filter));
                yield value != null && matches(filter.getUnaryFilter().getOp(), value);
            }
            case FILTERTYPE_NOT_SET -> throw Refusals.invalid("A filter without a condition");
        };
    }

    /** Returns the fields that the result must be ordered by, in the order of their names. */
    static Set<String> inequalities(Filter filter) {
        Set<String> paths = new TreeSet<>();
        disjuncts(filter).stream()
                .flatMap(List::stream)
                .filter(one -> !isEquality(one))
                .forEach(one -> paths.add(rawPath(one)));
        return paths;
    }

    /** Returns the condition as a disjunction of conjunctions of single conditions. */
    static List<List<Filter>> disjuncts(Filter filter) {
        if (!filter.hasCompositeFilter()) {
            return List.of(List.of(filter));
        }
        CompositeFilter composite = filter.getCompositeFilter();
        if (composite.getFiltersCount() == 0 || composite.getOp() == CompositeFilter.Operator.OPERATOR_UNSPECIFIED) {
            throw Refusals.invalid("A composite filter without filters or operator");
        }
        List<List<List<Filter>>> parts =
                composite.getFiltersList().stream().map(Filters::disjuncts).toList();
        if (composite.getOp() == CompositeFilter.Operator.OR) {
            return parts.stream().flatMap(List::stream).toList();
        }
        List<List<Filter>> product = List.of(List.of());
        for (List<List<Filter>> part : parts) {
            List<List<Filter>> longer = new ArrayList<>();
            for (List<Filter> left : product) {
                for (List<Filter> right : part) {
                    List<Filter> joined = new ArrayList<>(left);
                    joined.addAll(right);
                    longer.add(joined);
                }
            }
            if (longer.size() > MAX_DISJUNCTIONS) {
                throw Refusals.invalid("The query has more than " + MAX_DISJUNCTIONS + " disjunctions");
            }
            product = longer;
        }
        return product;
    }

    /** Returns whether the condition can be answered without an order on its field. */
    static boolean isEquality(Filter one) {
        if (one.hasUnaryFilter()) {
            return !isNegation(one);
        }
        return switch (one.getFieldFilter().getOp()) {
            case EQUAL, IN, ARRAY_CONTAINS, ARRAY_CONTAINS_ANY -> true;
            default -> false;
        };
    }

    static String rawPath(Filter one) {
        return one.hasUnaryFilter()
                ? one.getUnaryFilter().getField().getFieldPath()
                : one.getFieldFilter().getField().getFieldPath();
    }

    private static FieldPath path(Filter one) {
        return FieldPath.parse(rawPath(one));
    }

    private static boolean isNegation(Filter one) {
        if (one.hasUnaryFilter()) {
            return one.getUnaryFilter().getOp() == UnaryFilter.Operator.IS_NOT_NAN
                    || one.getUnaryFilter().getOp() == UnaryFilter.Operator.IS_NOT_NULL;
        }
        FieldFilter.Operator op = one.getFieldFilter().getOp();
        return op == FieldFilter.Operator.NOT_EQUAL || op == FieldFilter.Operator.NOT_IN;
    }

    private static long alternatives(Filter one) {
        FieldFilter.Operator op = one.getFieldFilter().getOp();
        boolean isAny = op == FieldFilter.Operator.IN || op == FieldFilter.Operator.ARRAY_CONTAINS_ANY;
        return isAny ? one.getFieldFilter().getValue().getArrayValue().getValuesCount() : 1;
    }

    private static void checkOne(Filter one) {
        FieldPath path = path(one);
        if (!one.hasFieldFilter()) {
            return;
        }
        FieldFilter filter = one.getFieldFilter();
        List<Value> list = filter.getValue().getArrayValue().getValuesList();
        switch (filter.getOp()) {
            case OPERATOR_UNSPECIFIED, UNRECOGNIZED -> throw Refusals.invalid("A filter without an operator");
            case IN, ARRAY_CONTAINS_ANY, NOT_IN -> {
                if (list.isEmpty()) {
                    throw Refusals.invalid("The operator " + filter.getOp() + " needs a list that is not empty");
                }
                if (filter.getOp() == FieldFilter.Operator.NOT_IN && list.size() > MAX_NOT_IN) {
                    throw Refusals.invalid("not-in with more than " + MAX_NOT_IN + " values");
                }
            }
            default -> list = List.of(filter.getValue());
        }
        if (path.equals(FieldPath.NAME) && !list.stream().allMatch(Value::hasReferenceValue)) {
            throw Refusals.invalid("__name__ can be compared with references only");
        }
    }

    private static boolean matches(FieldFilter filter, Value value) {
        Value operand = filter.getValue();
        List<Value> operands = operand.getArrayValue().getValuesList();
        List<Value> elements = value.getArrayValue().getValuesList();
        return switch (filter.getOp()) {
            case EQUAL -> Values.equal(value, operand);
            case NOT_EQUAL -> !value.hasNullValue() && !Values.equal(value, operand);
            case LESS_THAN -> Values.sameType(value, operand) && Values.ORDER.compare(value, operand) < 0;
            case LESS_THAN_OR_EQUAL -> Values.sameType(value, operand) && Values.ORDER.compare(value, operand) <= 0;
            case GREATER_THAN -> Values.sameType(value, operand) && Values.ORDER.compare(value, operand) > 0;
            case GREATER_THAN_OR_EQUAL -> Values.sameType(value, operand) && Values.ORDER.compare(value, operand) >= 0;
            case IN -> !value.hasNullValue() && contains(operands, value);
            case NOT_IN ->
                !value.hasNullValue() && operands.stream().noneMatch(Value::hasNullValue) && !contains(operands, value);
            case ARRAY_CONTAINS -> contains(elements, operand);
            case ARRAY_CONTAINS_ANY -> operands.stream().anyMatch(one -> contains(elements, one));
            case OPERATOR_UNSPECIFIED, UNRECOGNIZED -> throw Refusals.invalid("A filter without an operator");
        };
    }

    private static boolean matches(UnaryFilter.Operator op, Value value) {
        return switch (op) {
            case IS_NULL -> value.hasNullValue();
            case IS_NOT_NULL -> !value.hasNullValue();
            case IS_NAN -> Values.isNan(value);
            case IS_NOT_NAN -> !value.hasNullValue() && !Values.isNan(value);
            case OPERATOR_UNSPECIFIED, UNRECOGNIZED -> throw Refusals.invalid("A filter without an operator");
        };
    }

    private static boolean contains(List<Value> list, Value value) {
        return list.stream().anyMatch(one -> Values.equal(one, value));
    }
}
