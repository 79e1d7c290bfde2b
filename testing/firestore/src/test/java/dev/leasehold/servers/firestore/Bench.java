package dev.leasehold.servers.firestore;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.api.gax.core.NoCredentialsProvider;
import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.api.gax.retrying.RetrySettings;
import com.google.api.gax.rpc.ApiException;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreException;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.cloud.firestore.v1.FirestoreClient;
import com.google.cloud.firestore.v1.FirestoreSettings;
import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.BeginTransactionRequest;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.TransactionOptions;
import com.google.firestore.v1.Value;
import com.google.firestore.v1.Write;
import com.google.protobuf.ByteString;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A server under test with Google's client, and its lower layer for requests one by one. */
final class Bench implements AutoCloseable {
    /** A clock that moves when a test says so. */
    static final class ManualClock implements InstantSource {
        private final AtomicReference<Instant> now =
                new AtomicReference<>(Instant.parse("2026-11-18T12:00:00.123456Z"));

        @Override
        public Instant instant() {
            return now.get();
        }

        void advance(Duration duration) {
            now.updateAndGet(instant -> instant.plus(duration));
        }
    }

    final @Nullable FirestoreServer server;
    final Firestore client;
    final FirestoreClient raw;
    private final String project = "p-" + UUID.randomUUID();

    private Bench(@Nullable FirestoreServer server, String host) throws IOException {
        this.server = server;
        RetrySettings quick = FirestoreOptions.getDefaultRetrySettings().toBuilder()
                .setInitialRetryDelayDuration(Duration.ofMillis(2))
                .setMaxRetryDelayDuration(Duration.ofMillis(50))
                .build();
        client = FirestoreOptions.newBuilder()
                .setProjectId(project)
                .setEmulatorHost(host)
                .setRetrySettings(quick)
                .build()
                .getService();
        raw = FirestoreClient.create(FirestoreSettings.newBuilder()
                .setCredentialsProvider(NoCredentialsProvider.create())
                .setTransportChannelProvider(InstantiatingGrpcChannelProvider.newBuilder()
                        .setEndpoint(host)
                        .setChannelConfigurator(channel -> channel.usePlaintext())
                        .build())
                .build());
    }

    /** Opens the server under test; our own if that one is not in this mode, or is ours anyway. */
    static Bench open(Mode mode) {
        boolean isTested = !Traits.TESTED.isOurs() && (Traits.TESTED.hasModes() || mode == Mode.PESSIMISTIC);
        return isTested ? connect(null, Traits.TESTED.host()) : open(Settings.DEFAULT.withMode(mode));
    }

    /** Opens our own server, for tests that need power over it. */
    static Bench open(Settings settings) {
        FirestoreServer server = FirestoreServer.start(settings);
        return connect(server, server.host());
    }

    static Bench connect(@Nullable FirestoreServer server, String host) {
        try {
            return new Bench(server, host);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        raw.close();
        client.shutdownNow();
        if (server != null) {
            server.close();
        }
    }

    CollectionReference collection() {
        return client.collection("things");
    }

    DocumentReference document(String id) {
        return collection().document(id);
    }

    String database() {
        return "projects/" + project + "/databases/(default)";
    }

    String name(String id) {
        return database() + "/documents/things/" + id;
    }

    ByteString begin() {
        return begin(TransactionOptions.getDefaultInstance());
    }

    ByteString retry(ByteString transaction) {
        return begin(TransactionOptions.newBuilder()
                .setReadWrite(TransactionOptions.ReadWrite.newBuilder().setRetryTransaction(transaction))
                .build());
    }

    ByteString begin(TransactionOptions options) {
        return raw.beginTransaction(BeginTransactionRequest.newBuilder()
                        .setDatabase(database())
                        .setOptions(options)
                        .build())
                .getTransaction();
    }

    List<BatchGetDocumentsResponse> read(ByteString transaction, String... ids) {
        BatchGetDocumentsRequest.Builder request =
                BatchGetDocumentsRequest.newBuilder().setDatabase(database()).setTransaction(transaction);
        for (String id : ids) {
            request.addDocuments(name(id));
        }
        return read(request.build());
    }

    List<BatchGetDocumentsResponse> read(BatchGetDocumentsRequest request) {
        return raw.batchGetDocumentsCallable().all().call(request);
    }

    /** Runs a query on the collection in the transaction and returns how many documents it found. */
    long query(ByteString transaction, StructuredQuery.Builder query) {
        List<RunQueryResponse> answers = raw.runQueryCallable()
                .all()
                .call(RunQueryRequest.newBuilder()
                        .setParent(database() + "/documents")
                        .setStructuredQuery(query.addFrom(
                                StructuredQuery.CollectionSelector.newBuilder().setCollectionId("things")))
                        .setTransaction(transaction)
                        .build());
        return answers.stream().filter(RunQueryResponse::hasDocument).count();
    }

    ApiFuture<CommitResponse> commit(ByteString transaction, Write... writes) {
        return raw.commitCallable()
                .futureCall(CommitRequest.newBuilder()
                        .setDatabase(database())
                        .setTransaction(transaction)
                        .addAllWrites(List.of(writes))
                        .build());
    }

    /** A write that sets the field n of a document. */
    Write set(String id, long n) {
        return Write.newBuilder()
                .setUpdate(Document.newBuilder()
                        .setName(name(id))
                        .putFields("n", Value.newBuilder().setIntegerValue(n).build()))
                .build();
    }

    long number(String id) {
        Long n = await(document(id).get()).getLong("n");
        return n == null ? -1 : n;
    }

    /** Waits until so many requests wait for locks, this one among them. */
    void assertWaits(ApiFuture<?> future, int waiting) {
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (server.waiting() != waiting) {
            assertThat(System.nanoTime()).as("%d requests wait", waiting).isLessThan(end);
            Thread.onSpinWait();
        }
        assertThat(future.isDone()).isFalse();
    }

    static <T> T await(ApiFuture<T> future) {
        try {
            return future.get(30, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the status that a request fails with; OK if it succeeds. */
    static Status.Code code(ApiFuture<?> future) {
        return code(() -> future.get(30, TimeUnit.SECONDS));
    }

    interface Work {
        Object run() throws Exception;
    }

    static Status.Code code(Work work) {
        return status(work).getCode();
    }

    static Status status(Work work) {
        try {
            work.run();
            return Status.OK;
        } catch (Exception e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof FirestoreException failure && failure.getStatus() != null) {
                    return failure.getStatus();
                }
                if (cause instanceof ApiException failure) {
                    return Status.Code.valueOf(failure.getStatusCode().getCode().name())
                            .toStatus()
                            .withDescription(failure.getMessage());
                }
            }
            throw new IllegalStateException(e);
        }
    }
}
