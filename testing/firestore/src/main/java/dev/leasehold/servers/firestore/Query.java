package dev.leasehold.servers.firestore;

import com.google.firestore.v1.Cursor;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.StructuredQuery.CollectionSelector;
import com.google.firestore.v1.StructuredQuery.Direction;
import com.google.firestore.v1.StructuredQuery.FieldReference;
import com.google.firestore.v1.StructuredQuery.Order;
import com.google.firestore.v1.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A query over one collection, or over all collections of one id below a parent. */
final class Query {
    private record OrderedBy(FieldPath path, boolean descending) {}

    private final String parent;
    private final StructuredQuery query;
    private final CollectionSelector from;
    private final List<OrderedBy> order;

    Query(String parent, StructuredQuery query) {
        this.parent = Names.checkParent(parent);
        this.query = query;
        if (query.getFromCount() != 1 || query.getFrom(0).getCollectionId().isEmpty()) {
            throw Refusals.unimplemented("A query that does not name exactly one collection id");
        }
        this.from = query.getFrom(0);
        Names.checkId(from.getCollectionId());
        if (query.hasWhere()) {
            Filters.check(query.getWhere());
        }
        this.order = order(query);
        if (query.getOffset() < 0 || query.getLimit().getValue() < 0) {
            throw Refusals.invalid("A query's offset and limit cannot be negative");
        }
        checkCursor(query.getStartAt());
        checkCursor(query.getEndAt());
    }

    StructuredQuery structure() {
        return query;
    }

    CollectionSelector from() {
        return from;
    }

    String database() {
        return Names.databaseOf(parent);
    }

    /** Returns the order as paths, {@code "path desc"} for descending ones, without a last {@code __name__}. */
    List<String> indexedOrder() {
        List<String> paths = new ArrayList<>();
        for (OrderedBy by : order) {
            paths.add(by.path() + (by.descending() ? " desc" : ""));
        }
        OrderedBy name = order.get(order.size() - 1);
        boolean isImplied = order.size() == 1
                || name.descending() == order.get(order.size() - 2).descending();
        return isImplied ? paths.subList(0, paths.size() - 1) : paths;
    }

    /** Returns the result at a time: filtered, ordered, cut by cursors, offset and limit. */
    List<Version> run(Documents documents, long micros) {
        String scope = from.getAllDescendants() ? parent : parent + "/" + from.getCollectionId();
        Stream<Version> found = documents
                .below(scope, micros)
                .filter(this::matches)
                .filter(this::isBetweenCursors)
                .sorted(this::compare)
                .skip(query.getOffset());
        return (query.hasLimit() ? found.limit(query.getLimit().getValue()) : found).toList();
    }

    /** Returns whether the document could be in the result, cursors and limits aside. */
    boolean matches(Version version) {
        return version.exists()
                && isInScope(version.name())
                && order.stream().allMatch(by -> field(version, by.path()) != null)
                && (!query.hasWhere() || Filters.matches(query.getWhere(), path -> field(version, path)));
    }

    boolean isInScope(String name) {
        String collection = Names.collectionOf(name);
        return from.getAllDescendants()
                ? name.startsWith(parent + "/") && Names.lastId(collection).equals(from.getCollectionId())
                : collection.equals(parent + "/" + from.getCollectionId());
    }

    /** Returns the document as the query's projection shows it. */
    Document project(Version version) {
        if (query.getSelect().getFieldsCount() == 0) {
            return version.toDocument();
        }
        return version.toDocument(query.getSelect().getFieldsList().stream()
                .map(FieldReference::getFieldPath)
                .filter(path -> !path.equals("__name__"))
                .toList());
    }

    private static List<OrderedBy> order(StructuredQuery query) {
        List<OrderedBy> order = new ArrayList<>();
        for (Order by : query.getOrderByList()) {
            order.add(new OrderedBy(
                    FieldPath.parse(by.getField().getFieldPath()), by.getDirection() == Direction.DESCENDING));
        }
        boolean isDescending = !order.isEmpty() && order.get(order.size() - 1).descending();
        List<FieldPath> implied = new ArrayList<>();
        if (query.hasWhere()) {
            Filters.inequalities(query.getWhere()).forEach(path -> implied.add(FieldPath.parse(path)));
        }
        implied.remove(FieldPath.NAME);
        implied.add(FieldPath.NAME);
        for (FieldPath path : implied) {
            if (order.stream().noneMatch(by -> by.path().equals(path))) {
                order.add(new OrderedBy(path, isDescending));
            }
        }
        return List.copyOf(order);
    }

    private void checkCursor(Cursor cursor) {
        if (cursor.getValuesCount() > order.size()) {
            throw Refusals.invalid("A cursor has more values than the query has orders");
        }
        for (int i = 0; i < cursor.getValuesCount(); i++) {
            if (order.get(i).path().equals(FieldPath.NAME)
                    && !cursor.getValues(i).hasReferenceValue()) {
                throw Refusals.invalid("A cursor's value for __name__ is not a reference");
            }
        }
    }

    private static @Nullable Value field(Version version, FieldPath path) {
        return path.equals(FieldPath.NAME) ? Values.reference(version.name()) : path.get(version.contents());
    }

    private int compare(Version a, Version b) {
        for (OrderedBy by : order) {
            int compared = compare(by, a, Objects.requireNonNull(field(b, by.path())));
            if (compared != 0) {
                return compared;
            }
        }
        return 0;
    }

    private static int compare(OrderedBy by, Version version, Value other) {
        Comparator<Value> values = by.descending() ? Values.ORDER.reversed() : Values.ORDER;
        return values.compare(Objects.requireNonNull(field(version, by.path())), other);
    }

    private boolean isBetweenCursors(Version version) {
        if (query.hasStartAt()) {
            int compared = compareTo(version, query.getStartAt());
            if (compared < 0 || (compared == 0 && !query.getStartAt().getBefore())) {
                return false;
            }
        }
        if (query.hasEndAt()) {
            int compared = compareTo(version, query.getEndAt());
            return compared < 0 || (compared == 0 && !query.getEndAt().getBefore());
        }
        return true;
    }

    /** Compares the document with the values that the cursor gives; those it leaves out are equal. */
    private int compareTo(Version version, Cursor cursor) {
        for (int i = 0; i < cursor.getValuesCount(); i++) {
            int compared = compare(order.get(i), version, cursor.getValues(i));
            if (compared != 0) {
                return compared;
            }
        }
        return 0;
    }
}
