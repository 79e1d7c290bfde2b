package dev.leasehold.servers.firestore;

import com.google.firestore.v1.ArrayValue;
import com.google.firestore.v1.DocumentTransform.FieldTransform;
import com.google.firestore.v1.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Applies field transforms to a document. */
final class Transforms {
    private static final int MAX_PER_DOCUMENT = 500;

    private Transforms() {}

    /** Changes the fields in order, and returns one result for each transform. */
    static List<Value> apply(List<FieldTransform> transforms, Map<String, Value> fields, long requestMicros) {
        if (transforms.size() > MAX_PER_DOCUMENT) {
            throw Refusals.invalid("More than " + MAX_PER_DOCUMENT + " transforms of one document");
        }
        List<Value> results = new ArrayList<>();
        for (FieldTransform transform : transforms) {
            FieldPath path = FieldPath.parse(transform.getFieldPath());
            if (path.equals(FieldPath.NAME)) {
                throw Refusals.invalid("A document's name cannot be transformed");
            }
            Value value = result(transform, path.get(fields), requestMicros);
            path.put(fields, value);
            results.add(value.hasArrayValue() ? Values.NULL : value);
        }
        return results;
    }

    private static Value result(FieldTransform transform, @Nullable Value current, long requestMicros) {
        return switch (transform.getTransformTypeCase()) {
            case SET_TO_SERVER_VALUE -> serverValue(transform, requestMicros);
            case INCREMENT -> increment(current, number(transform.getIncrement()));
            case MAXIMUM -> extreme(current, number(transform.getMaximum()), 1);
            case MINIMUM -> extreme(current, number(transform.getMinimum()), -1);
            case APPEND_MISSING_ELEMENTS -> union(current, transform.getAppendMissingElements());
            case REMOVE_ALL_FROM_ARRAY -> remove(current, transform.getRemoveAllFromArray());
            case TRANSFORMTYPE_NOT_SET -> throw Refusals.invalid("A transform without a type");
        };
    }

    /** The time of the request, in milliseconds. */
    private static Value serverValue(FieldTransform transform, long requestMicros) {
        if (transform.getSetToServerValue() != FieldTransform.ServerValue.REQUEST_TIME) {
            throw Refusals.invalid("Not a server value: " + transform.getSetToServerValueValue());
        }
        return Value.newBuilder()
                .setTimestampValue(Micros.toProto(requestMicros - Math.floorMod(requestMicros, 1_000L)))
                .build();
    }

    private static Value number(Value operand) {
        if (!Values.isNumber(operand)) {
            throw Refusals.invalid("The operand of a numeric transform is not a number");
        }
        return operand;
    }

    private static Value increment(@Nullable Value current, Value operand) {
        if (current == null || !Values.isNumber(current)) {
            return operand;
        }
        if (current.hasDoubleValue() || operand.hasDoubleValue()) {
            return Values.of(Values.toDouble(current) + Values.toDouble(operand));
        }
        long a = current.getIntegerValue();
        long b = operand.getIntegerValue();
        long sum = a + b;
        boolean hasOverflowed = ((a ^ sum) & (b ^ sum)) < 0;
        return Values.of(hasOverflowed ? (a < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum);
    }

    /** The larger (sign 1) or the smaller (sign -1) of the two; the stored one if they are equal. NaN wins. */
    private static Value extreme(@Nullable Value current, Value operand, int sign) {
        if (current == null || !Values.isNumber(current) || Values.isNan(operand)) {
            return operand;
        }
        boolean replaces = !Values.isNan(current) && sign * Values.ORDER.compare(operand, current) > 0;
        return replaces ? operand : current;
    }

    private static Value union(@Nullable Value current, ArrayValue operand) {
        List<Value> elements = elements(current);
        for (Value element : operand.getValuesList()) {
            if (elements.stream().noneMatch(present -> Values.equal(present, element))) {
                elements.add(element);
            }
        }
        return array(elements);
    }

    private static Value remove(@Nullable Value current, ArrayValue operand) {
        List<Value> elements = elements(current);
        elements.removeIf(
                element -> operand.getValuesList().stream().anyMatch(removed -> Values.equal(removed, element)));
        return array(elements);
    }

    private static List<Value> elements(@Nullable Value current) {
        return current == null
                ? new ArrayList<>()
                : new ArrayList<>(current.getArrayValue().getValuesList());
    }

    private static Value array(List<Value> elements) {
        return Values.stored(Value.newBuilder()
                .setArrayValue(ArrayValue.newBuilder().addAllValues(elements))
                .build());
    }
}
