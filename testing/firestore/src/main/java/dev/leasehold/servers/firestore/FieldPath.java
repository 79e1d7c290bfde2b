package dev.leasehold.servers.firestore;

import com.google.firestore.v1.MapValue;
import com.google.firestore.v1.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The path of a field: names joined by dots, quoted with backticks where they are no plain words. */
record FieldPath(List<String> segments) {
    /** The pseudo field for a document's name. */
    static final FieldPath NAME = new FieldPath(List.of("__name__"));

    private static final Pattern PLAIN = Pattern.compile("[a-zA-Z_][a-zA-Z_0-9]*");
    private static final int MAX_BYTES = 1_500;

    FieldPath {
        segments = List.copyOf(segments);
    }

    static FieldPath parse(String text) {
        if (text.equals("__name__")) {
            return NAME;
        }
        List<String> segments = new ArrayList<>();
        int at = 0;
        while (at <= text.length()) {
            StringBuilder segment = new StringBuilder();
            at = at < text.length() && text.charAt(at) == '`' ? quoted(text, at, segment) : plain(text, at, segment);
            segments.add(checkName(segment.toString()));
            if (at < text.length() && text.charAt(at) != '.') {
                throw Refusals.invalid("Not a field path: \"" + text + "\"");
            }
            at++;
        }
        if (Names.bytes(text) > MAX_BYTES) {
            throw Refusals.invalid("The field path is longer than " + MAX_BYTES + " bytes: \"" + text + "\"");
        }
        return new FieldPath(segments);
    }

    /** Refuses what no field may be called. */
    static String checkName(String name) {
        boolean isReserved = name.length() >= 4 && name.startsWith("__") && name.endsWith("__");
        if (name.isEmpty() || isReserved || Names.bytes(name) > MAX_BYTES) {
            throw Refusals.invalid("Not a valid field name: \"" + name + "\"");
        }
        return name;
    }

    boolean isPrefixOf(FieldPath other) {
        return segments.size() <= other.segments.size() && segments.equals(other.segments.subList(0, segments.size()));
    }

    @Nullable
    Value get(Map<String, Value> fields) {
        Value value = fields.get(segments.get(0));
        for (String segment : segments.subList(1, segments.size())) {
            if (value == null || !value.hasMapValue()) {
                return null;
            }
            value = value.getMapValue().getFieldsMap().get(segment);
        }
        return value;
    }

    /** Sets the field, or removes it if the value is null; maps on the way are made or replaced as needed. */
    void put(Map<String, Value> fields, @Nullable Value value) {
        String first = segments.get(0);
        if (segments.size() == 1) {
            set(fields, first, value);
            return;
        }
        Value inner = fields.get(first);
        boolean isMap = inner != null && inner.hasMapValue();
        if (value == null && !isMap) {
            return;
        }
        Map<String, Value> nested =
                new HashMap<>(inner != null && isMap ? inner.getMapValue().getFieldsMap() : Map.of());
        new FieldPath(segments.subList(1, segments.size())).put(nested, value);
        fields.put(
                first,
                Value.newBuilder()
                        .setMapValue(MapValue.newBuilder().putAllFields(nested))
                        .build());
    }

    @Override
    public String toString() {
        return String.join(".", segments);
    }

    private static void set(Map<String, Value> fields, String name, @Nullable Value value) {
        if (value == null) {
            fields.remove(name);
        } else {
            fields.put(name, value);
        }
    }

    private static int plain(String text, int from, StringBuilder segment) {
        int end = text.indexOf('.', from);
        int to = end < 0 ? text.length() : end;
        segment.append(text, from, to);
        if (!PLAIN.matcher(segment).matches()) {
            throw Refusals.invalid("The field path is empty or needs backticks: \"" + text + "\"");
        }
        return to;
    }

    private static int quoted(String text, int from, StringBuilder segment) {
        for (int i = from + 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '`') {
                return i + 1;
            }
            if (c == '\\' && i + 1 < text.length()) {
                c = text.charAt(++i);
            }
            segment.append(c);
        }
        throw Refusals.invalid("The field path lacks a closing backtick: \"" + text + "\"");
    }
}
