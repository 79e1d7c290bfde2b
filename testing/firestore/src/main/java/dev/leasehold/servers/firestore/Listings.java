package dev.leasehold.servers.firestore;

import com.google.firestore.v1.Cursor;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.ListCollectionIdsRequest;
import com.google.firestore.v1.ListCollectionIdsResponse;
import com.google.firestore.v1.ListDocumentsRequest;
import com.google.firestore.v1.ListDocumentsResponse;
import com.google.firestore.v1.PartitionQueryRequest;
import com.google.firestore.v1.PartitionQueryResponse;
import com.google.protobuf.Timestamp;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** ListDocuments, ListCollectionIds and PartitionQuery. The token of a page is the last name or id before it. */
final class Listings {
    private static final int DEFAULT_PAGE = 300;

    private final Engine engine;

    Listings(Engine engine) {
        this.engine = engine;
    }

    ListDocumentsResponse documents(ListDocumentsRequest request) {
        String parent = Names.checkParent(request.getParent());
        String collection = parent + "/" + Names.checkId(request.getCollectionId());
        long micros = micros(request.hasReadTime(), request.getReadTime());
        NavigableSet<String> names = new TreeSet<>(Names.ORDER);
        engine.documents().below(collection, micros).map(Version::name).forEach(name -> {
            String child = child(collection, name);
            if (request.getShowMissing() || name.equals(child)) {
                names.add(child);
            }
        });
        List<String> page = page(names, request.getPageToken(), request.getPageSize());
        ListDocumentsResponse.Builder answer = ListDocumentsResponse.newBuilder();
        page.forEach(
                name -> answer.addDocuments(document(request, engine.documents().at(name, micros))));
        return answer.setNextPageToken(nextToken(names, page)).build();
    }

    ListCollectionIdsResponse collections(ListCollectionIdsRequest request) {
        String parent = Names.checkParent(request.getParent());
        long micros = micros(request.hasReadTime(), request.getReadTime());
        NavigableSet<String> ids = new TreeSet<>(Names.ORDER);
        engine.documents()
                .below(parent, micros)
                .forEach(version -> ids.add(Names.lastId(child(parent, version.name()))));
        List<String> page = page(ids, request.getPageToken(), request.getPageSize());
        return ListCollectionIdsResponse.newBuilder()
                .addAllCollectionIds(page)
                .setNextPageToken(nextToken(ids, page))
                .build();
    }

    PartitionQueryResponse partitions(PartitionQueryRequest request) {
        Query query = new Query(request.getParent(), request.getStructuredQuery());
        boolean isByName = query.indexedOrder().isEmpty();
        if (!query.from().getAllDescendants() || request.getStructuredQuery().hasWhere() || !isByName) {
            throw Refusals.invalid("Only a collection group ordered by name can be partitioned");
        }
        if (request.getPartitionCount() <= 0) {
            throw Refusals.invalid("The number of partition points must be positive");
        }
        List<String> names =
                query.run(engine.documents(), micros(request.hasReadTime(), request.getReadTime())).stream()
                        .map(Version::name)
                        .toList();
        int parts = (int) Math.min(request.getPartitionCount() + 1, Math.max(names.size(), 1));
        NavigableSet<String> points = new TreeSet<>(Names.ORDER);
        IntStream.range(1, parts).forEach(part -> points.add(names.get((int) ((long) part * names.size() / parts))));
        List<String> page = page(points, request.getPageToken(), request.getPageSize());
        PartitionQueryResponse.Builder answer = PartitionQueryResponse.newBuilder();
        page.forEach(name -> answer.addPartitions(
                Cursor.newBuilder().addValues(Values.reference(name)).setBefore(true)));
        return answer.setNextPageToken(nextToken(points, page)).build();
    }

    private long micros(boolean isGiven, Timestamp readTime) {
        long now = engine.clock().readTime();
        return isGiven ? Transactions.checkReadTime(Micros.exact(readTime), now, engine.oldestRead()) : now;
    }

    /** Returns what lies directly below the prefix on the way to the name. */
    private static String child(String prefix, String name) {
        int end = name.indexOf('/', prefix.length() + 1);
        return end < 0 ? name : name.substring(0, end);
    }

    private static Document document(ListDocumentsRequest request, Version version) {
        if (!version.exists()) {
            return Document.newBuilder().setName(version.name()).build();
        }
        return request.hasMask() ? version.toDocument(request.getMask()) : version.toDocument();
    }

    private static List<String> page(NavigableSet<String> all, String token, int size) {
        if (size < 0) {
            throw Refusals.invalid("A page's size cannot be negative");
        }
        Stream<String> rest = token.isEmpty() ? all.stream() : all.tailSet(token, false).stream();
        return rest.limit(size == 0 ? DEFAULT_PAGE : size).toList();
    }

    private static String nextToken(NavigableSet<String> all, List<String> page) {
        boolean isLast = page.isEmpty() || page.get(page.size() - 1).equals(all.last());
        return isLast ? "" : page.get(page.size() - 1);
    }
}
