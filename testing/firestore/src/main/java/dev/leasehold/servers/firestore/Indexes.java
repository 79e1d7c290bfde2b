package dev.leasehold.servers.firestore;

import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.StructuredQuery.Filter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Refuses queries that the automatic indexes do not serve and no declared one does. Every field has an automatic index
 * in both directions with collection scope; equalities on several fields are answered by merging them.
 */
final class Indexes {
    private final List<Index> declared;

    Indexes(List<Index> declared) {
        this.declared = declared;
    }

    void check(Query query) {
        check(query, List.of());
    }

    /** Checks a query whose result is aggregated over these fields. */
    void check(Query query, Collection<FieldPath> aggregated) {
        StructuredQuery structure = query.structure();
        List<List<Filter>> terms = structure.hasWhere() ? Filters.disjuncts(structure.getWhere()) : List.of(List.of());
        for (List<Filter> term : terms) {
            Set<String> equal = new LinkedHashSet<>();
            term.stream()
                    .filter(Filters::isEquality)
                    .map(Filters::rawPath)
                    .filter(path -> !path.equals("__name__"))
                    .forEach(path -> equal.add(FieldPath.parse(path).toString()));
            List<String> ordered = new ArrayList<>(query.indexedOrder());
            ordered.removeIf(path -> equal.contains(path) || equal.contains(path.replace(" desc", "")));
            aggregated.stream()
                    .map(FieldPath::toString)
                    .filter(path ->
                            !equal.contains(path) && !ordered.contains(path) && !ordered.contains(path + " desc"))
                    .forEach(ordered::add);
            if (!isServed(query, equal, ordered)) {
                List<String> fields = new ArrayList<>(equal);
                fields.addAll(ordered);
                throw Refusals.precondition("The query requires an index on " + fields + " of the collection "
                        + (query.from().getAllDescendants() ? "group " : "")
                        + query.from().getCollectionId() + ". Declare it in the server's settings.");
            }
        }
    }

    private boolean isServed(Query query, Set<String> equal, List<String> ordered) {
        boolean isGroup = query.from().getAllDescendants();
        boolean isAutomatic = ordered.isEmpty() || (equal.isEmpty() && ordered.size() == 1);
        if (isAutomatic && (!isGroup || (equal.isEmpty() && isByName(ordered)))) {
            return true;
        }
        return declared.stream()
                .filter(index -> index.group() == isGroup
                        && index.collection().equals(query.from().getCollectionId()))
                .anyMatch(index -> serves(index, equal, ordered));
    }

    private static boolean isByName(List<String> ordered) {
        return ordered.stream().allMatch(path -> path.startsWith("__name__"));
    }

    private static boolean serves(Index index, Set<String> equal, List<String> ordered) {
        List<String> fields = index.fields();
        if (fields.size() != equal.size() + ordered.size()) {
            return false;
        }
        List<String> first = fields.subList(0, equal.size()).stream()
                .map(path -> path.replace(" desc", ""))
                .toList();
        List<String> last = fields.subList(equal.size(), fields.size());
        return equal.containsAll(first) && (last.equals(ordered) || last.equals(reversed(ordered)));
    }

    private static List<String> reversed(List<String> ordered) {
        return ordered.stream()
                .map(path -> path.endsWith(" desc") ? path.replace(" desc", "") : path + " desc")
                .toList();
    }
}
