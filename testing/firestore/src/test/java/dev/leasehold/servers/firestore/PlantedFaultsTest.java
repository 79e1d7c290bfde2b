package dev.leasehold.servers.firestore;

import static dev.leasehold.servers.firestore.Bench.await;
import static dev.leasehold.servers.firestore.Bench.code;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.WriteBatch;
import com.google.firestore.v1.Write;
import com.google.firestore.v1.WriteResult;
import com.google.protobuf.ByteString;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Each breaks one rule of the server, and asks what the rule's test asks: the answer is the wrong one. */
@DisplayName("A planted fault is found:")
class PlantedFaultsTest {
    private static Bench open(Mode mode, Locks locks, Function<Documents, Commits> commits) {
        FirestoreServer server = FirestoreServer.start(Settings.DEFAULT.withMode(mode), locks, commits);
        return Bench.connect(server, server.host());
    }

    @Test
    @DisplayName("no conflict check loses increments")
    void noConflictCheck() throws Exception {
        Function<Documents, Commits> blind = documents -> new Commits(documents) {
            @Override
            boolean isStale(Transaction transaction, ServerClock clock) {
                return false;
            }
        };
        try (Bench bench = open(Mode.OPTIMISTIC, new Locks(), blind)) {
            await(bench.document("counter").set(Map.of("n", 0)));
            TransactionRulesTest.increment(bench, 200, 8);
            assertThat(bench.number("counter")).isLessThan(200);
            ByteString transaction = bench.begin();
            bench.read(transaction, "a");
            await(bench.document("a").set(Map.of("n", 2)));
            assertThat(code(bench.commit(transaction, bench.set("a", 3)))).isEqualTo(Code.OK);
        }
    }

    @Test
    @DisplayName("no lock wait lets an outside write pass")
    void noLockWait() throws Exception {
        Locks open = new Locks() {
            @Override
            boolean isBlocked(Request request) {
                return false;
            }
        };
        try (Bench bench = open(Mode.PESSIMISTIC, open, Commits::new)) {
            await(bench.document("counter").set(Map.of("n", 0)));
            TransactionRulesTest.increment(bench, 200, 8);
            assertThat(bench.number("counter")).isLessThan(200);
            bench.read(bench.begin(), "a");
            assertThat(code(bench.document("a").set(Map.of("n", 2)))).isEqualTo(Code.OK);
        }
    }

    @Test
    @DisplayName("a batch that is not atomic leaves its first write")
    void batchIsNotAtomic() {
        Function<Documents, Commits> eager = documents -> new Commits(documents) {
            @Override
            Staged stage(String database, List<Write> writes, long micros) {
                List<WriteResult> results = new ArrayList<>();
                for (Write write : writes) {
                    Staged one = super.stage(database, List.of(write), micros);
                    documents.apply(one.after());
                    results.addAll(one.results());
                }
                return new Staged(List.of(), List.of(), results);
            }
        };
        try (Bench bench = open(Mode.PESSIMISTIC, new Locks(), eager)) {
            WriteBatch batch = bench.client.batch();
            batch.set(bench.document("a"), Map.of("n", 1));
            batch.update(bench.document("missing"), "n", 1);
            assertThat(code(batch.commit())).isEqualTo(Code.NOT_FOUND);
            assertThat(await(bench.document("a").get()).exists()).isTrue();
        }
    }

    @Test
    @DisplayName("an update time that is ignored lets a stale write pass")
    void updateTimeIsIgnored() {
        Function<Documents, Commits> lenient = documents -> new Commits(documents) {
            @Override
            boolean isUpdatedAt(Version current, long micros) {
                return true;
            }
        };
        try (Bench bench = open(Mode.PESSIMISTIC, new Locks(), lenient)) {
            Timestamp first = await(bench.document("a").set(Map.of("n", 1))).getUpdateTime();
            await(bench.document("a").set(Map.of("n", 2)));
            assertThat(code(bench.document("a").update(Map.of("n", 3), Precondition.updatedAt(first))))
                    .isEqualTo(Code.OK);
        }
    }
}
