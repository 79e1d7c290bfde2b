package dev.leasehold.servers.firestore;

import static dev.leasehold.servers.firestore.Bench.await;
import static dev.leasehold.servers.firestore.Bench.code;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.api.gax.rpc.ClientStream;
import com.google.api.gax.rpc.ResponseObserver;
import com.google.api.gax.rpc.StreamController;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FirestoreException;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.firestore.v1.ListenRequest;
import com.google.firestore.v1.ListenResponse;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.Target.QueryTarget;
import com.google.firestore.v1.TargetChange.TargetChangeType;
import com.google.protobuf.ByteString;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A listener (R Listen)")
class ListenRulesTest {
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
    @DisplayName("of a document is told its state, each change and its deletion")
    void documentIsFollowed() throws Exception {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        ListenerRegistration listener =
                bench.document("a").addSnapshotListener((snapshot, error) -> seen.add(show(snapshot)));
        assertThat(next(seen)).isEqualTo("missing");
        await(bench.document("a").set(Map.of("n", 1)));
        assertThat(next(seen)).isEqualTo("1");
        await(bench.document("other").set(Map.of("n", 9)));
        await(bench.document("a").set(Map.of("n", 2)));
        assertThat(next(seen)).isEqualTo("2");
        await(bench.document("a").delete());
        assertThat(next(seen)).isEqualTo("missing");
        listener.remove();
    }

    @Test
    @DisplayName("of a query is told what enters, changes, leaves and is deleted")
    void queryIsFollowed() throws Exception {
        await(bench.document("a").set(Map.of("n", 1)));
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        Query query = bench.collection().whereLessThan("n", 10).orderBy("n").limit(2);
        ListenerRegistration listener = query.addSnapshotListener((snapshot, error) -> seen.add(show(snapshot)));
        assertThat(next(seen)).isEqualTo("a=1");
        await(bench.document("b").set(Map.of("n", 2)));
        assertThat(next(seen)).isEqualTo("a=1 b=2");
        await(bench.document("c").set(Map.of("n", 0)));
        assertThat(next(seen)).isEqualTo("c=0 a=1");
        await(bench.document("a").set(Map.of("n", 11)));
        assertThat(next(seen)).isEqualTo("c=0 b=2");
        await(bench.document("c").delete());
        assertThat(next(seen)).isEqualTo("b=2");
        listener.remove();
    }

    @Test
    @DisplayName("that lost its stream is told what has changed since its resume token, and no more")
    void streamIsResumed() throws Exception {
        await(bench.document("a").set(Map.of("n", 1)));
        await(bench.document("b").set(Map.of("n", 1)));
        BlockingQueue<ListenResponse> first = new LinkedBlockingQueue<>();
        ClientStream<ListenRequest> stream = listen(bench, first, ByteString.EMPTY);
        List<ListenResponse> snapshot = untilConsistent(first);
        assertThat(snapshot.stream().filter(ListenResponse::hasDocumentChange)).hasSize(2);
        stream.closeSend();
        await(bench.document("b").delete());
        await(bench.document("c").set(Map.of("n", 1)));
        BlockingQueue<ListenResponse> second = new LinkedBlockingQueue<>();
        ByteString token = snapshot.get(snapshot.size() - 1).getTargetChange().getResumeToken();
        stream = listen(bench, second, token);
        List<ListenResponse> changes = untilConsistent(second);
        assertThat(changes.stream()
                        .filter(ListenResponse::hasDocumentChange)
                        .map(change -> change.getDocumentChange().getDocument().getName()))
                .containsExactly(bench.name("c"));
        assertThat(changes.stream().filter(ListenResponse::hasDocumentDelete)).hasSize(1);
        stream.closeSend();
    }

    @Test
    @DisplayName("starts anew if the server was restarted on its journal after the resume token")
    void tokenFromBeforeARestartIsReset(@TempDir Path folder) throws Exception {
        Settings settings = Settings.DEFAULT.withFile(folder.resolve("documents"));
        FirestoreServer server = FirestoreServer.start(settings);
        try (Bench restarted = Bench.connect(null, server.host())) {
            await(restarted.document("a").set(Map.of("n", 1)));
            BlockingQueue<ListenResponse> answers = new LinkedBlockingQueue<>();
            listen(restarted, answers, ByteString.EMPTY).closeSend();
            ListenResponse last = untilConsistent(answers).get(3);
            await(restarted.document("a").delete());
            int port = server.port();
            server.close();
            server = FirestoreServer.start(settings.withPort(port));
            while (code(restarted.commit(ByteString.EMPTY, restarted.set("b", 1))) != Status.Code.OK) {
                Thread.onSpinWait();
            }
            answers.clear();
            listen(restarted, answers, last.getTargetChange().getResumeToken());
            assertThat(untilConsistent(answers).stream()
                            .map(message -> message.getTargetChange().getTargetChangeType()))
                    .contains(TargetChangeType.RESET);
        } finally {
            server.close();
        }
    }

    private static ClientStream<ListenRequest> listen(
            Bench bench, BlockingQueue<ListenResponse> answers, ByteString token) {
        ClientStream<ListenRequest> stream = bench.raw.listenCallable().splitCall(new ResponseObserver<>() {
            @Override
            public void onStart(StreamController controller) {}

            @Override
            public void onResponse(ListenResponse response) {
                answers.add(response);
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onComplete() {}
        });
        stream.send(ListenRequest.newBuilder()
                .setDatabase(bench.database())
                .setAddTarget(com.google.firestore.v1.Target.newBuilder()
                        .setTargetId(7)
                        .setResumeToken(token)
                        .setQuery(QueryTarget.newBuilder()
                                .setParent(bench.database() + "/documents")
                                .setStructuredQuery(StructuredQuery.newBuilder()
                                        .addFrom(StructuredQuery.CollectionSelector.newBuilder()
                                                .setCollectionId("things")))))
                .build());
        return stream;
    }

    /** Returns the messages up to the one that says that all targets are at one time. */
    private static List<ListenResponse> untilConsistent(BlockingQueue<ListenResponse> answers)
            throws InterruptedException {
        List<ListenResponse> messages = new ArrayList<>();
        while (true) {
            ListenResponse next = answers.poll(10, TimeUnit.SECONDS);
            assertThat(next).as("a message within 10 s").isNotNull();
            messages.add(next);
            boolean isForAll = next.getTargetChange().getTargetIdsCount() == 0;
            if (isForAll && next.getTargetChange().hasReadTime()) {
                return messages;
            }
        }
    }

    @Test
    @DisplayName("of a query that is refused is told why")
    void refusedTargetEndsTheStream() throws Exception {
        assumeTrue(Traits.TESTED.needsIndexes());
        BlockingQueue<Status.Code> errors = new LinkedBlockingQueue<>();
        bench.collection().whereEqualTo("kind", 1).orderBy("n").addSnapshotListener((snapshot, error) -> {
            FirestoreException failure = error;
            errors.add(failure == null ? Status.Code.OK : failure.getStatus().getCode());
        });
        assertThat(errors.poll(10, TimeUnit.SECONDS)).isEqualTo(Status.Code.FAILED_PRECONDITION);
    }

    private static String next(BlockingQueue<String> seen) throws InterruptedException {
        String next = seen.poll(10, TimeUnit.SECONDS);
        assertThat(next).as("a snapshot within 10 s").isNotNull();
        return next;
    }

    private static String show(DocumentSnapshot snapshot) {
        return snapshot.exists() ? String.valueOf(snapshot.getLong("n")) : "missing";
    }

    private static String show(QuerySnapshot snapshot) {
        List<QueryDocumentSnapshot> documents = snapshot.getDocuments();
        return documents.stream()
                .map(found -> found.getId() + "=" + found.getLong("n"))
                .collect(Collectors.joining(" "));
    }
}
