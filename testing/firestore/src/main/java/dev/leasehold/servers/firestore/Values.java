package dev.leasehold.servers.firestore;

import com.google.firestore.v1.ArrayValue;
import com.google.firestore.v1.MapValue;
import com.google.firestore.v1.Value;
import com.google.protobuf.ByteString;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The order and equality of values, and what a stored value may be. */
final class Values {
    /** First by type, then by value; integers and doubles are one type. */
    static final Comparator<Value> ORDER = Values::compare;

    static final Value NULL = Value.newBuilder().setNullValueValue(0).build();

    private static final int MAX_DEPTH = 20;

    private Values() {}

    static Value of(long number) {
        return Value.newBuilder().setIntegerValue(number).build();
    }

    static Value of(double number) {
        return Value.newBuilder().setDoubleValue(number).build();
    }

    static Value reference(String name) {
        return Value.newBuilder().setReferenceValue(name).build();
    }

    /** Equal to the database: 3 and 3.0 are, and NaN is equal to itself. */
    static boolean equal(Value a, Value b) {
        return compare(a, b) == 0;
    }

    static boolean sameType(Value a, Value b) {
        return type(a) == type(b);
    }

    static boolean isNumber(Value value) {
        return value.hasIntegerValue() || value.hasDoubleValue();
    }

    static boolean isNan(Value value) {
        return value.hasDoubleValue() && Double.isNaN(value.getDoubleValue());
    }

    static double toDouble(Value number) {
        return number.hasIntegerValue() ? number.getIntegerValue() : number.getDoubleValue();
    }

    /** Returns the fields as they are stored, or refuses what cannot be. */
    static Map<String, Value> stored(Map<String, Value> fields) {
        return stored(fields, 1);
    }

    static Value stored(Value value) {
        return stored(value, 1);
    }

    private static Map<String, Value> stored(Map<String, Value> fields, int depth) {
        Map<String, Value> result = new TreeMap<>();
        fields.forEach((name, value) -> {
            if (name.equals("__type__")) {
                throw Refusals.unimplemented("A vector value");
            }
            result.put(FieldPath.checkName(name), stored(value, depth));
        });
        return result;
    }

    private static Value stored(Value value, int depth) {
        if (depth > MAX_DEPTH) {
            throw Refusals.invalid("Maps and arrays are nested deeper than " + MAX_DEPTH);
        }
        return switch (value.getValueTypeCase()) {
            case MAP_VALUE ->
                Value.newBuilder()
                        .setMapValue(MapValue.newBuilder()
                                .putAllFields(stored(value.getMapValue().getFieldsMap(), depth + 1)))
                        .build();
            case ARRAY_VALUE ->
                Value.newBuilder()
                        .setArrayValue(ArrayValue.newBuilder()
                                .addAllValues(value.getArrayValue().getValuesList().stream()
                                        .map(element -> element(element, depth + 1))
                                        .toList()))
                        .build();
            case TIMESTAMP_VALUE ->
                Value.newBuilder()
                        .setTimestampValue(Micros.toProto(Micros.of(value.getTimestampValue())))
                        .build();
            case VALUETYPE_NOT_SET -> throw Refusals.invalid("A value without a type");
            default -> {
                type(value);
                yield value;
            }
        };
    }

    private static Value element(Value element, int depth) {
        if (element.hasArrayValue()) {
            throw Refusals.invalid("An array cannot contain an array");
        }
        return stored(element, depth);
    }

    /** The place of the value's type in the order of types. */
    private static int type(Value value) {
        return switch (value.getValueTypeCase()) {
            case NULL_VALUE -> 0;
            case BOOLEAN_VALUE -> 1;
            case INTEGER_VALUE, DOUBLE_VALUE -> 2;
            case TIMESTAMP_VALUE -> 3;
            case STRING_VALUE -> 4;
            case BYTES_VALUE -> 5;
            case REFERENCE_VALUE -> 6;
            case GEO_POINT_VALUE -> 7;
            case ARRAY_VALUE -> 8;
            case MAP_VALUE -> 9;
            case VALUETYPE_NOT_SET -> throw Refusals.invalid("A value without a type");
            default -> throw Refusals.unimplemented("The value " + value.getValueTypeCase());
        };
    }

    private static int compare(Value a, Value b) {
        int types = Integer.compare(type(a), type(b));
        if (types != 0) {
            return types;
        }
        return switch (a.getValueTypeCase()) {
            case BOOLEAN_VALUE -> Boolean.compare(a.getBooleanValue(), b.getBooleanValue());
            case INTEGER_VALUE, DOUBLE_VALUE -> compareNumbers(a, b);
            case TIMESTAMP_VALUE -> Long.compare(Micros.of(a.getTimestampValue()), Micros.of(b.getTimestampValue()));
            case STRING_VALUE -> Names.compareUtf8(a.getStringValue(), b.getStringValue());
            case BYTES_VALUE ->
                ByteString.unsignedLexicographicalComparator().compare(a.getBytesValue(), b.getBytesValue());
            case REFERENCE_VALUE -> Names.ORDER.compare(a.getReferenceValue(), b.getReferenceValue());
            case GEO_POINT_VALUE -> {
                int latitudes = compareDoubles(
                        a.getGeoPointValue().getLatitude(), b.getGeoPointValue().getLatitude());
                yield latitudes != 0
                        ? latitudes
                        : compareDoubles(
                                a.getGeoPointValue().getLongitude(),
                                b.getGeoPointValue().getLongitude());
            }
            case ARRAY_VALUE ->
                compareArrays(
                        a.getArrayValue().getValuesList(), b.getArrayValue().getValuesList());
            case MAP_VALUE ->
                compareMaps(a.getMapValue().getFieldsMap(), b.getMapValue().getFieldsMap());
            default -> 0;
        };
    }

    private static int compareNumbers(Value a, Value b) {
        if (a.hasIntegerValue() && b.hasIntegerValue()) {
            return Long.compare(a.getIntegerValue(), b.getIntegerValue());
        }
        double x = toDouble(a);
        double y = toDouble(b);
        boolean isFinite = Double.isFinite(x) && Double.isFinite(y);
        return isFinite ? exact(a).compareTo(exact(b)) : compareDoubles(x, y);
    }

    private static BigDecimal exact(Value number) {
        return number.hasIntegerValue()
                ? BigDecimal.valueOf(number.getIntegerValue())
                : new BigDecimal(number.getDoubleValue());
    }

    /** NaN first, and both zeros equal. */
    private static int compareDoubles(double a, double b) {
        if (Double.isNaN(a) || Double.isNaN(b)) {
            return Boolean.compare(!Double.isNaN(a), !Double.isNaN(b));
        }
        return a < b ? -1 : a > b ? 1 : 0;
    }

    private static int compareArrays(List<Value> a, List<Value> b) {
        for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
            int elements = compare(a.get(i), b.get(i));
            if (elements != 0) {
                return elements;
            }
        }
        return Integer.compare(a.size(), b.size());
    }

    private static int compareMaps(Map<String, Value> a, Map<String, Value> b) {
        Iterator<Map.Entry<String, Value>> x = sorted(a).entrySet().iterator();
        Iterator<Map.Entry<String, Value>> y = sorted(b).entrySet().iterator();
        while (x.hasNext() && y.hasNext()) {
            Map.Entry<String, Value> left = x.next();
            Map.Entry<String, Value> right = y.next();
            int keys = Names.compareUtf8(left.getKey(), right.getKey());
            int entries = keys != 0 ? keys : compare(left.getValue(), right.getValue());
            if (entries != 0) {
                return entries;
            }
        }
        return Boolean.compare(x.hasNext(), y.hasNext());
    }

    private static Map<String, Value> sorted(Map<String, Value> map) {
        Map<String, Value> sorted = new TreeMap<>(Names::compareUtf8);
        sorted.putAll(map);
        return sorted;
    }
}
