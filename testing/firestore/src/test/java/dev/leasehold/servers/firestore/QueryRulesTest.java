package dev.leasehold.servers.firestore;

import static dev.leasehold.servers.firestore.Bench.await;
import static dev.leasehold.servers.firestore.Bench.code;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.AggregateField;
import com.google.cloud.firestore.AggregateQuerySnapshot;
import com.google.cloud.firestore.Blob;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Filter;
import com.google.cloud.firestore.GeoPoint;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.WriteBatch;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Pages are under firebase.google.com/docs/firestore; R is the RPC reference of google.firestore.v1. */
@DisplayName("A query")
class QueryRulesTest {
    private Bench bench;

    @BeforeEach
    void open() {
        bench = Traits.TESTED.isOurs()
                ? Bench.open(
                        Settings.DEFAULT.withIndexes(Index.of("things", "kind", "n desc"), Index.ofGroup("parts", "n")))
                : Bench.open(Mode.PESSIMISTIC);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("orders values first by type, then by value (manage-data/data-types)")
    void valuesHaveAnOrder() {
        List<Object> ordered = Arrays.asList(
                null,
                false,
                true,
                Double.NaN,
                Double.NEGATIVE_INFINITY,
                Long.MIN_VALUE,
                -1.5,
                -1L,
                0L,
                0.5,
                1L,
                1.5,
                (1L << 53) + 1,
                (double) ((1L << 53) + 2),
                Long.MAX_VALUE,
                9.3e18,
                Double.POSITIVE_INFINITY,
                Timestamp.ofTimeSecondsAndNanos(1, 0),
                Timestamp.ofTimeSecondsAndNanos(1, 1_000),
                "",
                "B",
                "a",
                "aa",
                "\u00e9",
                "\uff61",
                "\ud83d\ude00",
                Blob.fromBytes(new byte[] {1}),
                Blob.fromBytes(new byte[] {(byte) 0x80}),
                bench.client.document("a/b"),
                bench.client.document("a/b/c/d"),
                bench.client.document("a/b!"),
                new GeoPoint(-1, 5),
                new GeoPoint(1, -5),
                List.of(),
                List.of(1L),
                List.of(1L, "a"),
                List.of("a"),
                Map.of(),
                Map.of("a", 1L),
                Map.of("a", 2L),
                Map.of("b", 1L));
        List<Integer> shuffled = new ArrayList<>();
        for (int i = 0; i < ordered.size(); i++) {
            shuffled.add(i);
        }
        Collections.shuffle(shuffled, new Random(7));
        WriteBatch batch = bench.client.batch();
        for (int i : shuffled) {
            Map<String, Object> data = new HashMap<>();
            data.put("v", ordered.get(i));
            batch.set(bench.document("d" + i), data);
        }
        await(batch.commit());
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < ordered.size(); i++) {
            expected.add("d" + i);
        }
        assertThat(ids(bench.collection().orderBy("v"))).isEqualTo(expected);
        Collections.reverse(expected);
        assertThat(ids(bench.collection().orderBy("v", Direction.DESCENDING))).isEqualTo(expected);
    }

    @Test
    @DisplayName("filters; != and not-in need the field, and null matches neither (R StructuredQuery)")
    void filtersMatch() {
        put("one", Map.of("n", 1, "tags", List.of("a", "b")));
        put("float", Map.of("n", 1.0));
        put("two", Map.of("n", 2, "tags", List.of("b", 3)));
        put("text", Map.of("n", "1"));
        put("nan", Map.of("n", Double.NaN));
        put("none", Map.of("other", 1));
        Map<String, Object> nothing = new HashMap<>();
        nothing.put("n", null);
        put("null", nothing);
        Query all = bench.collection();
        assertThat(ids(all.whereEqualTo("n", 1))).containsExactly("float", "one");
        assertThat(ids(all.whereEqualTo("n", null))).containsExactly("null");
        assertThat(ids(all.whereEqualTo("n", Double.NaN))).containsExactly("nan");
        assertThat(ids(all.whereNotEqualTo("n", 1))).containsExactly("nan", "two", "text");
        assertThat(ids(all.whereNotEqualTo("n", null))).containsExactly("nan", "float", "one", "two", "text");
        assertThat(ids(all.whereGreaterThan("n", 1))).containsExactly("two");
        assertThat(ids(all.whereLessThanOrEqualTo("n", "1"))).containsExactly("text");
        assertThat(ids(all.whereIn("n", List.of(2, "1")))).containsExactly("text", "two");
        assertThat(ids(all.whereNotIn("n", List.of(1, "1")))).containsExactly("nan", "two");
        assertThat(ids(all.whereArrayContains("tags", "b"))).containsExactly("one", "two");
        assertThat(ids(all.whereArrayContainsAny("tags", List.of("a", 3.0)))).containsExactly("one", "two");
        assertThat(ids(all.where(Filter.or(Filter.equalTo("n", 2), Filter.equalTo("other", 1)))))
                .containsExactly("none", "two");
        assertThat(ids(all.whereEqualTo("n", 1).whereArrayContains("tags", "a")))
                .containsExactly("one");
        assertThat(ids(all.whereGreaterThan(FieldPath.documentId(), "one"))).containsExactly("text", "two");
        assertThat(code(all.whereIn("n", Collections.nCopies(31, 1)).get())).isEqualTo(Code.INVALID_ARGUMENT);
    }

    @Test
    @DisplayName("pages forwards and back with cursors, limit, limitToLast and offset (query-data/query-cursors)")
    void pagesCoverEverythingOnce() {
        WriteBatch batch = bench.client.batch();
        for (int i = 0; i < 100; i++) {
            batch.set(bench.document("d%02d".formatted(i)), Map.of("n", i / 3));
        }
        await(batch.commit());
        Query all = bench.collection().orderBy("n");
        List<String> forwards = new ArrayList<>();
        List<QueryDocumentSnapshot> page = await(all.limit(7).get()).getDocuments();
        while (!page.isEmpty()) {
            page.forEach(found -> forwards.add(found.getId()));
            page = await(all.startAfter(page.get(page.size() - 1)).limit(7).get())
                    .getDocuments();
        }
        assertThat(forwards).hasSize(100).isSorted();
        List<String> back = new ArrayList<>();
        page = await(all.limitToLast(7).get()).getDocuments();
        while (!page.isEmpty()) {
            back.addAll(0, page.stream().map(QueryDocumentSnapshot::getId).toList());
            page = await(all.endBefore(page.get(0)).limitToLast(7).get()).getDocuments();
        }
        assertThat(back).isEqualTo(forwards);
        assertThat(ids(all.startAt(32).endAt(33))).containsExactly("d96", "d97", "d98", "d99");
        assertThat(ids(all.startAfter(31).endBefore(33))).containsExactly("d96", "d97", "d98");
        assertThat(ids(all.offset(98))).containsExactly("d98", "d99");
        assertThat(ids(all.whereGreaterThan("n", 32))).containsExactly("d99");
        assertThat(ids(bench.collection().orderBy("none"))).isEmpty();
    }

    @Test
    @DisplayName("returns the selected fields only (R StructuredQuery.Projection)")
    void projectionSelectsFields() {
        put("a", Map.of("x", 1, "y", Map.of("z", 2, "w", 3)));
        assertThat(await(bench.collection().select("y.z").get())
                        .getDocuments()
                        .get(0)
                        .getData())
                .isEqualTo(Map.of("y", Map.of("z", 2L)));
        assertThat(await(bench.collection().select(FieldPath.documentId()).get())
                        .getDocuments()
                        .get(0)
                        .getData())
                .isEmpty();
    }

    @Test
    @DisplayName("counts, sums and averages, also in a transaction (query-data/aggregation-queries)")
    void aggregationsAreComputed() {
        put("a", Map.of("n", 1));
        put("b", Map.of("n", 2));
        put("c", Map.of("n", "text"));
        put("d", Map.of("other", 1));
        AggregateQuerySnapshot result = await(bench.collection()
                .aggregate(AggregateField.count(), AggregateField.sum("n"), AggregateField.average("n"))
                .get());
        assertThat(result.getCount()).isEqualTo(3);
        assertThat(result.get(AggregateField.sum("n"))).isEqualTo(3L);
        assertThat(result.get(AggregateField.average("n"))).isEqualTo(1.5);
        assertThat(await(bench.collection().limit(2).count().get()).getCount()).isEqualTo(2);
        long counted = await(bench.client.runTransaction(
                transaction -> transaction.get(bench.collection().count()).get().getCount()));
        assertThat(counted).isEqualTo(4);
        assertThat(await(bench.client
                                .collection("empty")
                                .aggregate(AggregateField.average("n"))
                                .get())
                        .get(AggregateField.average("n")))
                .isNull();
    }

    @Test
    @DisplayName("that needs a composite index is refused unless it is declared (query-data/index-overview)")
    void compositeIndexesMustBeDeclared() {
        assumeTrue(Traits.TESTED.needsIndexes());
        put("a", Map.of("kind", "x", "n", 1));
        put("b", Map.of("kind", "x", "n", 2));
        Query ofKind = bench.collection().whereEqualTo("kind", "x");
        assertThat(ids(ofKind.orderBy("n", Direction.DESCENDING))).containsExactly("b", "a");
        assertThat(ids(ofKind.orderBy("n"))).containsExactly("a", "b");
        assertThat(ids(ofKind.whereEqualTo("n", 1))).containsExactly("a");
        assertThat(code(ofKind.orderBy("other").get())).isEqualTo(Code.FAILED_PRECONDITION);
        assertThat(code(ofKind.whereGreaterThan("other", 1).get())).isEqualTo(Code.FAILED_PRECONDITION);
        assertThat(code(bench.collection().orderBy("n").orderBy("kind").get())).isEqualTo(Code.FAILED_PRECONDITION);
    }

    @Test
    @DisplayName("of a collection group finds every collection of that id (query-data/queries)")
    void collectionGroupsAreSearched() {
        await(bench.document("a").collection("parts").document("x").set(Map.of("n", 1)));
        await(bench.client.document("others/b/parts/y").set(Map.of("n", 2)));
        await(bench.client.document("parts/z").set(Map.of("n", 3)));
        assertThat(ids(bench.client.collectionGroup("parts").whereGreaterThan("n", 1)))
                .containsExactly("y", "z");
        assertThat(ids(bench.document("a").collection("parts"))).containsExactly("x");
        assertThat(ids(bench.client.collectionGroup("parts"))).containsExactly("y", "z", "x");
        assumeTrue(Traits.TESTED.needsIndexes());
        assertThat(code(bench.client
                        .collectionGroup("parts")
                        .whereEqualTo("m", 1)
                        .get()))
                .isEqualTo(Code.FAILED_PRECONDITION);
    }

    private void put(String id, Map<String, Object> data) {
        await(bench.document(id).set(data));
    }

    private static List<String> ids(Query query) {
        return await(query.get()).getDocuments().stream()
                .map(QueryDocumentSnapshot::getId)
                .toList();
    }
}
