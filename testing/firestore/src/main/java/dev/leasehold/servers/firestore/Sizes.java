package dev.leasehold.servers.firestore;

import com.google.firestore.v1.Value;
import java.util.Map;

/** The sizes of documents, by Firestore's page on storage size. */
final class Sizes {
    private static final int MAX_DOCUMENT = 1 << 20;
    private static final int DOCUMENT_OVERHEAD = 32;
    private static final int NAME_OVERHEAD = 16;

    private Sizes() {}

    static void check(String name, Map<String, Value> fields) {
        long size = ofName(name) + ofFields(fields) + DOCUMENT_OVERHEAD;
        if (size > MAX_DOCUMENT) {
            throw Refusals.invalid("The document \"" + name + "\" has " + size + " bytes, more than " + MAX_DOCUMENT);
        }
    }

    /** Counts the ids below the root, each as a string. */
    private static long ofName(String name) {
        String path = name.substring(name.indexOf("/documents/") + "/documents/".length());
        return Names.bytes(path) + 1L + NAME_OVERHEAD;
    }

    private static long ofFields(Map<String, Value> fields) {
        long size = 0;
        for (Map.Entry<String, Value> field : fields.entrySet()) {
            size += Names.bytes(field.getKey()) + 1L + of(field.getValue());
        }
        return size;
    }

    private static long of(Value value) {
        return switch (value.getValueTypeCase()) {
            case NULL_VALUE, BOOLEAN_VALUE -> 1;
            case GEO_POINT_VALUE -> 16;
            case STRING_VALUE -> Names.bytes(value.getStringValue()) + 1L;
            case BYTES_VALUE -> value.getBytesValue().size();
            case REFERENCE_VALUE -> ofName(value.getReferenceValue());
            case ARRAY_VALUE ->
                value.getArrayValue().getValuesList().stream()
                        .mapToLong(Sizes::of)
                        .sum();
            case MAP_VALUE -> ofFields(value.getMapValue().getFieldsMap());
            default -> 8;
        };
    }
}
