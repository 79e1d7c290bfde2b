package dev.leasehold.servers.firestore;

import java.util.List;

/**
 * A declared index: what a query beyond the automatic single-field indexes needs.
 *
 * @param collection the id of the collection
 * @param group whether it covers every collection of that id (collection group scope)
 * @param fields field paths in order; {@code "createdAt desc"} is a descending one
 */
public record Index(String collection, boolean group, List<String> fields) {
    /** Copies the fields. */
    public Index {
        fields = List.copyOf(fields);
    }

    /** Returns an index with collection scope. */
    public static Index of(String collection, String... fields) {
        return new Index(collection, false, List.of(fields));
    }

    /** Returns an index with collection group scope. */
    public static Index ofGroup(String collection, String... fields) {
        return new Index(collection, true, List.of(fields));
    }
}
