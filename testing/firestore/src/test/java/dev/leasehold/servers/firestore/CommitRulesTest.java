package dev.leasehold.servers.firestore;

import static dev.leasehold.servers.firestore.Bench.await;
import static dev.leasehold.servers.firestore.Bench.code;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.WriteBatch;
import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.DocumentTransform.FieldTransform;
import com.google.firestore.v1.Value;
import com.google.firestore.v1.Write;
import com.google.firestore.v1.WriteResult;
import com.google.protobuf.ByteString;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Pages are under firebase.google.com/docs/firestore; R is the RPC reference of google.firestore.v1. */
@DisplayName("A commit")
class CommitRulesTest {
    private final Bench.ManualClock clock = new Bench.ManualClock();
    private Bench bench;

    @BeforeEach
    void open() {
        bench = Traits.TESTED.isOurs() ? Bench.open(Settings.DEFAULT.withClock(clock)) : Bench.open(Mode.PESSIMISTIC);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("is atomic: one failing write, nothing applied (manage-data/transactions; R Commit)")
    void oneFailingWriteLeavesNothingApplied() {
        await(bench.document("old").set(Map.of("n", 1)));
        WriteBatch batch = bench.client.batch();
        batch.set(bench.document("a"), Map.of("n", 1));
        batch.update(bench.document("old"), "n", 2);
        batch.update(bench.document("missing"), "n", 1);
        assertThat(code(batch.commit())).isEqualTo(Code.NOT_FOUND);
        assertThat(await(bench.document("a").get()).exists()).isFalse();
        assertThat(bench.number("old")).isEqualTo(1);
    }

    @Test
    @DisplayName("keeps its preconditions: exists (R Precondition)")
    void existenceIsChecked() {
        DocumentReference document = bench.document("a");
        assertThat(code(document.update("n", 1))).isEqualTo(Code.NOT_FOUND);
        assertThat(code(document.create(Map.of("n", 1)))).isEqualTo(Code.OK);
        assertThat(code(document.create(Map.of("n", 2)))).isEqualTo(Code.ALREADY_EXISTS);
        assertThat(bench.number("a")).isEqualTo(1);
        assertThat(code(bench.document("b").delete(Precondition.NONE))).isEqualTo(Code.OK);
    }

    @Test
    @DisplayName("keeps its preconditions: update time, stale and fresh, aligned to microseconds (R Precondition)")
    void updateTimeIsChecked() {
        DocumentReference document = bench.document("a");
        Timestamp first = await(document.set(Map.of("n", 1))).getUpdateTime();
        Timestamp second = await(document.update(Map.of("n", 2), Precondition.updatedAt(first)))
                .getUpdateTime();
        assertThat(code(document.update(Map.of("n", 3), Precondition.updatedAt(first))))
                .isEqualTo(Code.FAILED_PRECONDITION);
        assertThat(code(document.delete(Precondition.updatedAt(first)))).isEqualTo(Code.FAILED_PRECONDITION);
        assertThat(code(bench.document("none").update(Map.of("n", 3), Precondition.updatedAt(first))))
                .isEqualTo(Code.FAILED_PRECONDITION);
        Timestamp unaligned = Timestamp.ofTimeSecondsAndNanos(second.getSeconds(), second.getNanos() + 1);
        assertThat(code(document.update(Map.of("n", 3), Precondition.updatedAt(unaligned))))
                .isEqualTo(Code.INVALID_ARGUMENT);
        assertThat(code(document.delete(Precondition.updatedAt(second)))).isEqualTo(Code.OK);
    }

    @Test
    @DisplayName("changes the fields of its mask only, and removes those without a value (R Write)")
    void maskLimitsTheFields() {
        DocumentReference document = bench.document("a");
        await(document.set(Map.of("keep", 1, "drop", 2, "deep", Map.of("x", 1, "y", 2), "a.b", 5)));
        await(document.update("drop", FieldValue.delete(), "deep.x", 9));
        assertThat(await(document.get()).getData())
                .isEqualTo(Map.of("keep", 1L, "deep", Map.of("x", 9L, "y", 2L), "a.b", 5L));
        await(document.update(FieldPath.of("a.b"), 6));
        await(document.set(Map.of("new", true), SetOptions.merge()));
        assertThat(await(document.get()).get(FieldPath.of("a.b"))).isEqualTo(6L);
        assertThat(await(document.get()).getLong("keep")).isEqualTo(1);
        await(document.set(Map.of("only", 1)));
        assertThat(await(document.get()).getData()).isEqualTo(Map.of("only", 1L));
    }

    @Test
    @DisplayName("that changes nothing keeps the update time (R WriteResult)")
    void unchangedDocumentKeepsItsUpdateTime() {
        assumeTrue(Traits.TESTED.keepsUnchanged());
        Timestamp first = await(bench.document("a").set(Map.of("n", 1))).getUpdateTime();
        Timestamp same = await(bench.document("a").set(Map.of("n", 1))).getUpdateTime();
        Timestamp other = await(bench.document("a").set(Map.of("n", 1.0))).getUpdateTime();
        assertThat(same).isEqualTo(first);
        assertThat(other).isGreaterThan(first);
    }

    @Test
    @DisplayName("is later than every commit before it, also if the clock stands still (R CommitResponse)")
    void updateTimesGrowStrictly() {
        Timestamp last = Timestamp.MIN_VALUE;
        for (int i = 0; i < 200; i++) {
            Timestamp next = await(bench.document("a").set(Map.of("n", i))).getUpdateTime();
            assertThat(next).isGreaterThan(last);
            last = next;
        }
        DocumentSnapshot read = await(bench.document("a").get());
        assertThat(read.getReadTime()).isGreaterThanOrEqualTo(last);
        assertThat(read.getCreateTime()).isLessThan(read.getUpdateTime());
    }

    @Test
    @DisplayName("is seen by later reads, each with a read time, also for missing documents (R BatchGetDocuments)")
    void everyReplyHasAReadTime() {
        CommitResponse committed = await(bench.commit(ByteString.EMPTY, bench.set("a", 1)));
        List<BatchGetDocumentsResponse> answers = bench.read(ByteString.EMPTY, "a", "missing", "a");
        assertThat(answers).hasSize(2).allMatch(BatchGetDocumentsResponse::hasReadTime);
        assertThat(answers.get(0).getFound().getUpdateTime()).isEqualTo(committed.getCommitTime());
        assertThat(answers.get(1).getMissing()).isEqualTo(bench.name("missing"));
        assertThat(Micros.of(answers.get(0).getReadTime()))
                .isGreaterThanOrEqualTo(Micros.of(committed.getCommitTime()));
    }

    @Test
    @DisplayName("does not change what a read at an earlier time sees, for an hour (R BatchGetDocuments)")
    void earlierVersionsCanBeRead() {
        assumeTrue(Traits.TESTED.hasTimers());
        CommitResponse first = await(bench.commit(ByteString.EMPTY, bench.set("a", 1)));
        clock.advance(Duration.ofSeconds(1));
        await(bench.commit(ByteString.EMPTY, bench.set("a", 2)));
        BatchGetDocumentsRequest then = BatchGetDocumentsRequest.newBuilder()
                .setDatabase(bench.database())
                .addDocuments(bench.name("a"))
                .setReadTime(first.getCommitTime())
                .build();
        assertThat(bench.read(then).get(0).getFound().getFieldsOrThrow("n").getIntegerValue())
                .isEqualTo(1);
        clock.advance(Duration.ofHours(1));
        assertThat(code(() -> bench.read(then))).isEqualTo(Code.INVALID_ARGUMENT);
        await(bench.commit(ByteString.EMPTY, bench.set("a", 3)));
        assertThat(bench.number("a")).isEqualTo(3);
    }

    @Test
    @DisplayName("stores times rounded down to microseconds (manage-data/data-types)")
    void timestampsAreRoundedDown() {
        await(bench.document("a").set(Map.of("at", Timestamp.ofTimeSecondsAndNanos(5, 1_999))));
        assertThat(await(bench.document("a").get()).getTimestamp("at"))
                .isEqualTo(Timestamp.ofTimeSecondsAndNanos(5, 1_000));
    }

    @Test
    @DisplayName("transforms fields: server time in milliseconds, equal within a commit (R DocumentTransform)")
    void serverTimeIsOneForTheCommit() {
        WriteBatch batch = bench.client.batch();
        batch.set(bench.document("a"), Map.of("x", FieldValue.serverTimestamp(), "y", FieldValue.serverTimestamp()));
        batch.set(bench.document("b"), Map.of("x", FieldValue.serverTimestamp()));
        await(batch.commit());
        Timestamp x = await(bench.document("a").get()).getTimestamp("x");
        assertThat(x.getNanos() % 1_000_000).isZero();
        assertThat(await(bench.document("a").get()).getTimestamp("y")).isEqualTo(x);
        assertThat(await(bench.document("b").get()).getTimestamp("x")).isEqualTo(x);
    }

    @Test
    @DisplayName("transforms fields: increment saturates and replaces what is no number (R DocumentTransform)")
    void incrementAdds() {
        DocumentReference document = bench.document("a");
        await(document.set(Map.of("i", 5, "max", Long.MAX_VALUE - 1, "min", Long.MIN_VALUE + 1, "text", "x")));
        Map<String, Object> changes = new HashMap<>();
        changes.put("i", FieldValue.increment(1.5));
        changes.put("max", FieldValue.increment(5));
        changes.put("min", FieldValue.increment(-5));
        changes.put("text", FieldValue.increment(7));
        changes.put("none", FieldValue.increment(3));
        await(document.update(changes));
        assertThat(await(document.get()).getData())
                .isEqualTo(Map.of("i", 6.5, "max", Long.MAX_VALUE, "min", Long.MIN_VALUE, "text", 7L, "none", 3L));
        await(bench.document("fresh").set(Map.of("n", FieldValue.increment(1))));
        assertThat(bench.number("fresh")).isEqualTo(1);
    }

    @Test
    @DisplayName("transforms fields: array union and remove, where 3 and 3.0 are equal (R DocumentTransform)")
    void arraysAreUnitedAndReduced() {
        DocumentReference document = bench.document("a");
        await(document.set(Map.of("list", List.of(1, 3, "x"), "other", 1)));
        await(document.update("list", FieldValue.arrayUnion(3.0, 4, 4), "other", FieldValue.arrayUnion("a")));
        assertThat(await(document.get()).get("list")).isEqualTo(List.of(1L, 3L, "x", 4L));
        assertThat(await(document.get()).get("other")).isEqualTo(List.of("a"));
        await(document.update("list", FieldValue.arrayRemove(3.0, "x")));
        assertThat(await(document.get()).get("list")).isEqualTo(List.of(1L, 4L));
    }

    @Test
    @DisplayName("transforms fields: maximum and minimum; results come in order (R DocumentTransform, WriteResult)")
    void extremesAreKept() {
        Value three = Value.newBuilder().setIntegerValue(3).build();
        Value threePointZero = Value.newBuilder().setDoubleValue(3.0).build();
        Value four = Value.newBuilder().setDoubleValue(4.0).build();
        Write write = bench.set("a", 3).toBuilder()
                .addUpdateTransforms(
                        FieldTransform.newBuilder().setFieldPath("n").setMaximum(threePointZero))
                .addUpdateTransforms(
                        FieldTransform.newBuilder().setFieldPath("n").setMaximum(four))
                .addUpdateTransforms(
                        FieldTransform.newBuilder().setFieldPath("n").setMinimum(three))
                .addUpdateTransforms(
                        FieldTransform.newBuilder().setFieldPath("m").setMinimum(four))
                .build();
        WriteResult result = await(bench.commit(ByteString.EMPTY, write)).getWriteResults(0);
        assertThat(result.getTransformResultsList()).containsExactly(three, four, three, four);
    }

    @Test
    @DisplayName("has at most 10 MiB, 1 MiB a document and 500 transforms a document (quotas)")
    void sizesAreLimited() {
        assumeTrue(Traits.TESTED.hasLimits());
        // Name things/a with 9 + 16 bytes, field text with 5, the text with 1 more, and 32 for the document.
        int room = (1 << 20) - 9 - 16 - 5 - 1 - 32;
        assertThat(code(bench.document("a").set(Map.of("text", "x".repeat(room)))))
                .isEqualTo(Code.OK);
        assertThat(code(bench.document("a").set(Map.of("text", "x".repeat(room + 1)))))
                .isEqualTo(Code.INVALID_ARGUMENT);
        WriteBatch large = bench.client.batch();
        for (int i = 0; i < 11; i++) {
            large.set(bench.document("large" + i), Map.of("text", "x".repeat(1_000_000)));
        }
        assertThat(code(large.commit())).isEqualTo(Code.INVALID_ARGUMENT);
        assertThat(code(bench.document("t").set(increments(500)))).isEqualTo(Code.OK);
        assertThat(code(bench.document("t").set(increments(501)))).isEqualTo(Code.INVALID_ARGUMENT);
    }

    @Test
    @DisplayName("refuses ids and field names beyond the limits, and arrays in arrays (quotas)")
    void namesAreLimited() {
        assumeTrue(Traits.TESTED.hasLimits());
        Map<String, Object> data = Map.of("n", 1);
        assertThat(code(bench.document("x".repeat(1_500)).set(data))).isEqualTo(Code.OK);
        assertThat(code(bench.document("x".repeat(1_501)).set(data))).isEqualTo(Code.INVALID_ARGUMENT);
        assertThat(code(bench.document("__x__").set(data))).isEqualTo(Code.INVALID_ARGUMENT);
        assertThat(code(bench.document("..").set(data))).isEqualTo(Code.INVALID_ARGUMENT);
        assertThat(code(bench.document("f").set(Map.of("x".repeat(1_501), 1)))).isEqualTo(Code.INVALID_ARGUMENT);
        assertThat(code(bench.document("f").set(Map.of("__x__", 1)))).isEqualTo(Code.INVALID_ARGUMENT);
        assertThat(code(bench.document("f").set(Map.of("list", List.of(List.of(1))))))
                .isEqualTo(Code.INVALID_ARGUMENT);
    }

    private static Map<String, Object> increments(int count) {
        Map<String, Object> fields = new HashMap<>();
        for (int i = 0; i < count; i++) {
            fields.put("f" + i, FieldValue.increment(1));
        }
        return fields;
    }
}
