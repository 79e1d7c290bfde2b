package dev.leasehold.servers.firestore;

import com.google.firestore.v1.Document;
import com.google.firestore.v1.DocumentMask;
import com.google.firestore.v1.Value;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A document as one commit left it.
 *
 * @param fields the contents; null if the document does not exist
 * @param created when it was created, in microseconds; 0 if it does not exist
 * @param updated when this version was committed, in microseconds; 0 if there never was a document of this name
 */
record Version(String name, @Nullable Map<String, Value> fields, long created, long updated) {
    static Version missing(String name, long since) {
        return new Version(name, null, 0, since);
    }

    boolean exists() {
        return fields != null;
    }

    /** The contents; none if the document does not exist. */
    Map<String, Value> contents() {
        return fields == null ? Map.of() : fields;
    }

    Document toDocument() {
        return toDocument(contents());
    }

    Document toDocument(DocumentMask mask) {
        return toDocument(mask.getFieldPathsList());
    }

    /** Returns the document with these fields only. */
    Document toDocument(Iterable<String> paths) {
        Map<String, Value> kept = new HashMap<>();
        for (String path : paths) {
            FieldPath field = FieldPath.parse(path);
            Value value = field.get(contents());
            if (value != null) {
                field.put(kept, value);
            }
        }
        return toDocument(kept);
    }

    private Document toDocument(Map<String, Value> shown) {
        return Document.newBuilder()
                .setName(name)
                .putAllFields(shown)
                .setCreateTime(Micros.toProto(created))
                .setUpdateTime(Micros.toProto(updated))
                .build();
    }
}
