package dev.leasehold.servers.firestore;

import static dev.leasehold.servers.firestore.Bench.await;
import static dev.leasehold.servers.firestore.Bench.code;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.BulkWriter;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.QueryPartition;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Batch writes and listings (R BatchWrite, ListDocuments, ListCollectionIds, PartitionQuery)")
class ListingRulesTest {
    private Bench bench;

    @BeforeEach
    void open() {
        bench = Bench.open(Mode.PESSIMISTIC);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("a batch write applies each write alone and gives each its status")
    void batchWriteIsNotAtomic() throws Exception {
        await(bench.document("d3").set(Map.of("n", -1)));
        List<ApiFuture<WriteResult>> results = new ArrayList<>();
        BulkWriter writer = bench.client.bulkWriter();
        for (int i = 0; i < 20; i++) {
            results.add(writer.create(bench.document("d" + i), Map.of("n", i)));
        }
        writer.close();
        for (int i = 0; i < 20; i++) {
            assertThat(code(results.get(i))).isEqualTo(i == 3 ? Code.ALREADY_EXISTS : Code.OK);
        }
        assertThat(bench.number("d3")).isEqualTo(-1);
        assertThat(bench.number("d19")).isEqualTo(19);
    }

    @Test
    @DisplayName("documents are listed, also missing ones that have documents below")
    void missingParentsAreListed() {
        await(bench.document("a").set(Map.of("n", 1)));
        await(bench.document("gone").collection("parts").document("x").set(Map.of("n", 1)));
        assertThat(StreamSupport.stream(bench.collection().listDocuments().spliterator(), false)
                        .map(DocumentReference::getId))
                .containsExactly("a", "gone");
    }

    @Test
    @DisplayName("a listing goes over several pages")
    void listingsHavePages() {
        WriteBatch batch = bench.client.batch();
        for (int i = 0; i < 650; i++) {
            batch.set(bench.document("d" + i), Map.of("n", i));
        }
        await(batch.commit());
        assertThat(bench.collection().listDocuments()).hasSize(650);
    }

    @Test
    @DisplayName("collections are listed at the root and below a document")
    void collectionsAreListed() {
        await(bench.document("a").set(Map.of("n", 1)));
        await(bench.client.document("b/c/d/e").set(Map.of("n", 1)));
        assertThat(ids(bench.client.listCollections())).containsExactly("b", "things");
        assertThat(ids(bench.client.document("b/c").listCollections())).containsExactly("d");
    }

    @Test
    @DisplayName("partitions of a collection group cover it once")
    void partitionsCoverTheGroup() {
        WriteBatch batch = bench.client.batch();
        for (int i = 0; i < 200; i++) {
            batch.set(bench.client.document("p" + i % 5 + "/x/parts/d" + i), Map.of("n", i));
        }
        await(batch.commit());
        List<QueryPartition> partitions =
                await(bench.client.collectionGroup("parts").getPartitions(4));
        List<String> found = new ArrayList<>();
        for (QueryPartition partition : partitions) {
            await(partition.createQuery().get()).getDocuments().forEach(document -> found.add(document.getId()));
        }
        assertThat(found).hasSize(200);
        assertThat(new TreeSet<>(found)).hasSize(200);
        if (Traits.TESTED.isOurs()) {
            assertThat(partitions).hasSize(4);
        }
    }

    private static List<String> ids(Iterable<CollectionReference> collections) {
        return StreamSupport.stream(collections.spliterator(), false)
                .map(CollectionReference::getId)
                .toList();
    }
}
