package dev.leasehold.servers.firestore;

import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.BatchWriteRequest;
import com.google.firestore.v1.BatchWriteResponse;
import com.google.firestore.v1.BeginTransactionRequest;
import com.google.firestore.v1.BeginTransactionResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.ListCollectionIdsRequest;
import com.google.firestore.v1.ListCollectionIdsResponse;
import com.google.firestore.v1.ListDocumentsRequest;
import com.google.firestore.v1.ListDocumentsResponse;
import com.google.firestore.v1.PartitionQueryRequest;
import com.google.firestore.v1.PartitionQueryResponse;
import com.google.firestore.v1.RollbackRequest;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import com.google.protobuf.Empty;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Leasehold's own server for Firestore's protocol, <b>not Google's</b>: for tests, and to try an application without
 * an account. It keeps the documented rules of transactions, preconditions, transforms, queries and listeners, in
 * either concurrency {@linkplain Mode mode}. It has no security rules, no administration and no pipelines; what it
 * does not have is answered UNIMPLEMENTED.
 *
 * <p>It listens on the loopback address only, and anyone on this machine may use it. Clients reach it as they reach an
 * emulator: by {@code FIRESTORE_EMULATOR_HOST} or {@code setEmulatorHost}, set to {@link #host()}. Any project and
 * database name is served. Safe for use by several threads.
 */
public final class FirestoreServer implements AutoCloseable {
    /** The server's name for itself, in its log, its errors and the header {@code x-served-by} of its replies. */
    public static final String LABEL = "Leasehold's own Firestore server, not Google's";

    private static final System.Logger LOG = System.getLogger(FirestoreServer.class.getName());
    /** Above the limit of a request, which is checked with a message of its own. */
    private static final int MAX_INBOUND = 64 << 20;

    private static final int CLOSE_SECONDS = 5;

    private final Engine engine;
    private final ExecutorService executor;
    private final Server server;
    private final Methods methods;

    private FirestoreServer(Settings settings, Engine engine) throws IOException {
        this.engine = engine;
        AtomicInteger threads = new AtomicInteger();
        // Without bound: requests that wait for a lock must not keep the one that releases it from running.
        this.executor = Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "firestore-server-" + threads.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        this.methods = methods();
        this.server = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port()))
                .executor(executor)
                .maxInboundMessageSize(MAX_INBOUND)
                .permitKeepAliveWithoutCalls(true)
                .permitKeepAliveTime(1, TimeUnit.SECONDS)
                .intercept(new Label())
                .addService(methods.toService())
                .build()
                .start();
    }

    /**
     * Starts a server.
     *
     * @throws UncheckedIOException if the port is taken, or if the journal is unreadable or damaged; if another server
     *     uses it, the cause is a {@link JournalInUseException}
     */
    public static FirestoreServer start(Settings settings) {
        return start(settings, new Locks(), Commits::new);
    }

    static FirestoreServer start(Settings settings, Locks locks, Function<Documents, Commits> commits) {
        try {
            Engine engine = new Engine(settings, locks, commits);
            try {
                FirestoreServer started = new FirestoreServer(settings, engine);
                LOG.log(
                        System.Logger.Level.INFO,
                        "{0}: listening on {1}, {2}, {3}",
                        LABEL,
                        started.host(),
                        settings.mode(),
                        settings.file() == null ? "in memory" : settings.file());
                return started;
            } catch (IOException e) {
                engine.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot start " + LABEL + ": " + why(e), e);
        }
    }

    /** Java's messages about files are often no more than the path. */
    static String why(IOException e) {
        String said = String.valueOf(e.getMessage());
        if (e instanceof AccessDeniedException) {
            return "access denied: " + said;
        }
        return e instanceof NoSuchFileException ? "no such file or directory: " + said : said;
    }

    /** Host and port, for {@code FIRESTORE_EMULATOR_HOST}. */
    public String host() {
        return "127.0.0.1:" + port();
    }

    /** The port it listens on. */
    public int port() {
        return server.getPort();
    }

    /** Returns how many requests wait for locks. */
    int waiting() {
        return engine.waiting();
    }

    /** Disturbs requests from now on; {@link FaultHook#NONE} stops it. */
    public void disturb(FaultHook hook) {
        methods.disturb(hook);
    }

    /** Stops at once: requests under way fail, and open transactions are lost. */
    @Override
    public void close() {
        server.shutdownNow();
        try {
            server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            executor.shutdownNow();
            executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            engine.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Methods methods() {
        Methods methods = new Methods();
        Reads reads = new Reads(engine);
        Listings listings = new Listings(engine);
        BatchWrites batches = new BatchWrites(engine);
        methods.unary(
                "BeginTransaction",
                BeginTransactionRequest.getDefaultInstance(),
                BeginTransactionResponse.getDefaultInstance(),
                request -> engine.locked(() -> BeginTransactionResponse.newBuilder()
                        .setTransaction(engine.begin(request.getDatabase(), request.getOptions()).id)
                        .build()));
        methods.unary(
                "Commit",
                CommitRequest.getDefaultInstance(),
                CommitResponse.getDefaultInstance(),
                request -> engine.locked(() -> commit(request)));
        methods.unary(
                "Rollback",
                RollbackRequest.getDefaultInstance(),
                Empty.getDefaultInstance(),
                request -> engine.locked(() -> {
                    engine.rollback(request.getTransaction(), request.getDatabase());
                    return Empty.getDefaultInstance();
                }));
        methods.streaming(
                "BatchGetDocuments",
                BatchGetDocumentsRequest.getDefaultInstance(),
                BatchGetDocumentsResponse.getDefaultInstance(),
                request -> engine.locked(() -> reads.batchGet(request)));
        methods.streaming(
                "RunQuery",
                RunQueryRequest.getDefaultInstance(),
                RunQueryResponse.getDefaultInstance(),
                request -> engine.locked(() -> reads.runQuery(request)));
        methods.streaming(
                "RunAggregationQuery",
                RunAggregationQueryRequest.getDefaultInstance(),
                RunAggregationQueryResponse.getDefaultInstance(),
                request -> engine.locked(() -> reads.runAggregation(request)));
        methods.unary(
                "BatchWrite",
                BatchWriteRequest.getDefaultInstance(),
                BatchWriteResponse.getDefaultInstance(),
                request -> engine.locked(() -> batches.write(request)));
        methods.unary(
                "ListDocuments",
                ListDocumentsRequest.getDefaultInstance(),
                ListDocumentsResponse.getDefaultInstance(),
                request -> engine.locked(() -> listings.documents(request)));
        methods.unary(
                "ListCollectionIds",
                ListCollectionIdsRequest.getDefaultInstance(),
                ListCollectionIdsResponse.getDefaultInstance(),
                request -> engine.locked(() -> listings.collections(request)));
        methods.unary(
                "PartitionQuery",
                PartitionQueryRequest.getDefaultInstance(),
                PartitionQueryResponse.getDefaultInstance(),
                request -> engine.locked(() -> listings.partitions(request)));
        methods.listen((gate, out) -> new Listens(engine, executor, gate, out));
        return methods;
    }

    private CommitResponse commit(CommitRequest request) {
        String database = Names.checkDatabase(request.getDatabase());
        Transaction transaction =
                request.getTransaction().isEmpty() ? null : engine.use(request.getTransaction(), database);
        return engine.commit(database, request.getWritesList(), transaction);
    }
}
