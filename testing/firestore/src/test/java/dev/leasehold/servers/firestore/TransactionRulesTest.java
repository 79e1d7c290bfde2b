package dev.leasehold.servers.firestore;

import static dev.leasehold.servers.firestore.Bench.await;
import static dev.leasehold.servers.firestore.Bench.code;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.TransactionOptions;
import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.TransactionOptions.ConcurrencyMode;
import com.google.firestore.v1.TransactionOptions.ReadOnly;
import com.google.firestore.v1.TransactionOptions.ReadWrite;
import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pages are under firebase.google.com/docs/firestore; R is the RPC reference of google.firestore.v1. */
@DisplayName("A transaction")
class TransactionRulesTest {
    private static final Settings OPTIMISTIC = Settings.DEFAULT.withMode(Mode.OPTIMISTIC);
    private static final Settings PESSIMISTIC = Settings.DEFAULT.withMode(Mode.PESSIMISTIC);

    @ParameterizedTest
    @EnumSource(Mode.class)
    @DisplayName("loses no increment of 200 by 8 threads (manage-data/transactions)")
    void concurrentIncrementsLoseNone(Mode mode) throws Exception {
        try (Bench bench = Bench.open(mode)) {
            await(bench.document("counter").set(Map.of("n", 0)));
            increment(bench, 200, 8);
            assertThat(bench.number("counter")).isEqualTo(200);
        }
    }

    /** Adds 1 so many times by read and write in transactions, from several threads. */
    static void increment(Bench bench, int times, int threads) throws Exception {
        DocumentReference counter = bench.document("counter");
        ExecutorService callers = Executors.newFixedThreadPool(threads);
        ExecutorService callbacks = Executors.newCachedThreadPool();
        TransactionOptions options = TransactionOptions.createReadWriteOptionsBuilder()
                .setNumberOfAttempts(200)
                .setExecutor(callbacks)
                .build();
        try {
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                calls.add(callers.submit(() -> await(bench.client.runAsyncTransaction(
                        transaction -> ApiFutures.transform(
                                transaction.get(counter),
                                read -> transaction.update(counter, "n", read.getLong("n") + 1),
                                callbacks),
                        options))));
            }
            for (Future<?> call : calls) {
                call.get(60, TimeUnit.SECONDS);
            }
        } finally {
            callers.shutdown();
            callbacks.shutdown();
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @DisplayName(
            "is serializable: transfers between accounts keep every sum that is read (transaction-data-contention)")
    void transfersKeepTheTotal(Mode mode) throws Exception {
        try (Bench bench = Bench.open(mode)) {
            int accounts = 5;
            for (int i = 0; i < accounts; i++) {
                await(bench.document("account" + i).set(Map.of("n", 100)));
            }
            ExecutorService callers = Executors.newFixedThreadPool(6);
            ExecutorService callbacks = Executors.newCachedThreadPool();
            TransactionOptions options = TransactionOptions.createReadWriteOptionsBuilder()
                    .setNumberOfAttempts(200)
                    .setExecutor(callbacks)
                    .build();
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < 90; i++) {
                DocumentReference from = bench.document("account" + i % accounts);
                DocumentReference to = bench.document("account" + (i * 3 + 1) % accounts);
                if (i % 9 == 8) {
                    calls.add(callers.submit(() -> assertThat(sum(bench)).isEqualTo(500)));
                } else if (!from.equals(to)) {
                    calls.add(callers.submit(() -> transfer(bench, from, to, options, callbacks)));
                }
            }
            for (Future<?> call : calls) {
                call.get(60, TimeUnit.SECONDS);
            }
            callers.shutdown();
            callbacks.shutdown();
            assertThat(sum(bench)).isEqualTo(500);
        }
    }

    private static void transfer(
            Bench bench,
            DocumentReference from,
            DocumentReference to,
            TransactionOptions options,
            ExecutorService callbacks) {
        await(bench.client.runAsyncTransaction(
                transaction -> ApiFutures.transform(
                        transaction.getAll(from, to),
                        read -> transaction
                                .update(from, "n", read.get(0).getLong("n") - 7)
                                .update(to, "n", read.get(1).getLong("n") + 7),
                        callbacks),
                options));
    }

    /** Adds up all accounts, read one by one in a read-only transaction. */
    private static long sum(Bench bench) {
        ByteString transaction = bench.begin(com.google.firestore.v1.TransactionOptions.newBuilder()
                .setReadOnly(ReadOnly.getDefaultInstance())
                .build());
        long sum = 0;
        for (int i = 0; i < 5; i++) {
            sum += bench.read(transaction, "account" + i)
                    .get(0)
                    .getFound()
                    .getFieldsOrThrow("n")
                    .getIntegerValue();
        }
        return sum;
    }

    @Test
    @DisplayName("that is optimistic is aborted if a document it read has changed (transaction-data-contention)")
    void optimisticCommitIsAbortedAfterAnOutsideWrite() throws Exception {
        try (Bench bench = Bench.open(OPTIMISTIC)) {
            await(bench.document("a").set(Map.of("n", 1)));
            ByteString transaction = bench.begin();
            bench.read(transaction, "a");
            await(bench.document("a").set(Map.of("n", 2)));
            assertThat(code(bench.commit(transaction, bench.set("a", 3)))).isEqualTo(Code.ABORTED);
            assertThat(bench.number("a")).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("that is optimistic is aborted if a missing document it read exists now (manage-data/transactions)")
    void optimisticCommitIsAbortedAfterACreation() throws Exception {
        try (Bench bench = Bench.open(OPTIMISTIC)) {
            ByteString transaction = bench.begin();
            bench.read(transaction, "a");
            await(bench.document("a").create(Map.of("n", 2)));
            assertThat(code(bench.commit(transaction, bench.set("b", 3)))).isEqualTo(Code.ABORTED);
        }
    }

    @Test
    @DisplayName("that is optimistic is aborted by a new document in its query's result (transaction-data-contention)")
    void optimisticCommitIsAbortedByAPhantom() throws Exception {
        try (Bench bench = Bench.open(OPTIMISTIC)) {
            ByteString transaction = bench.begin();
            assertThat(bench.query(transaction, StructuredQuery.newBuilder())).isZero();
            await(bench.document("a").create(Map.of("n", 2)));
            assertThat(bench.query(transaction, StructuredQuery.newBuilder())).isZero();
            assertThat(code(bench.commit(transaction, bench.set("b", 3)))).isEqualTo(Code.ABORTED);
        }
    }

    @Test
    @DisplayName("that is optimistic commits if only other documents have changed (transaction-data-contention)")
    void unrelatedWritesDoNotAbort() throws Exception {
        try (Bench bench = Bench.open(OPTIMISTIC)) {
            ByteString transaction = bench.begin();
            bench.read(transaction, "a");
            await(bench.document("b").set(Map.of("n", 2)));
            assertThat(code(bench.commit(transaction, bench.set("a", 3)))).isEqualTo(Code.OK);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @DisplayName("that is read-only sees one snapshot, never aborts and never blocks (manage-data/transactions)")
    void readOnlyTransactionSeesOneSnapshot(Mode mode) throws Exception {
        try (Bench bench = Bench.open(mode)) {
            await(bench.document("a").set(Map.of("n", 1)));
            ByteString transaction = bench.begin(com.google.firestore.v1.TransactionOptions.newBuilder()
                    .setReadOnly(ReadOnly.getDefaultInstance())
                    .build());
            bench.read(transaction, "a");
            await(bench.document("a").set(Map.of("n", 2)));
            assertThat(bench.read(transaction, "a")
                            .get(0)
                            .getFound()
                            .getFieldsOrThrow("n")
                            .getIntegerValue())
                    .isEqualTo(1);
            assertThat(code(bench.commit(transaction))).isEqualTo(Code.OK);
        }
    }

    @Test
    @DisplayName("that is pessimistic lets an outside write wait until it commits (transaction-data-contention)")
    void outsideWriteWaitsForAReader() throws Exception {
        try (Bench bench = Bench.open(PESSIMISTIC)) {
            await(bench.document("a").set(Map.of("n", 1)));
            ByteString transaction = bench.begin();
            bench.read(transaction, "a");
            ApiFuture<?> outside = bench.document("a").set(Map.of("n", 2));
            bench.assertWaits(outside, 1);
            await(bench.document("free").set(Map.of("n", 1)));
            CommitResponse committed = await(bench.commit(transaction, bench.set("a", 3)));
            await(outside);
            assertThat(bench.number("a")).isEqualTo(2);
            assertThat(await(bench.document("a").get()).getUpdateTime().toProto())
                    .isNotEqualTo(committed.getCommitTime());
        }
    }

    @Test
    @DisplayName("that is pessimistic lets a write into its query's result wait (transaction-data-contention)")
    void outsideWriteWaitsForAQuery() throws Exception {
        try (Bench bench = Bench.open(PESSIMISTIC)) {
            ByteString transaction = bench.begin();
            assertThat(bench.query(transaction, StructuredQuery.newBuilder())).isZero();
            ApiFuture<?> phantom = bench.document("a").set(Map.of("n", 2));
            bench.assertWaits(phantom, 1);
            assertThat(bench.query(transaction, StructuredQuery.newBuilder())).isZero();
            await(bench.commit(transaction));
            await(phantom);
        }
    }

    @Test
    @DisplayName("that is pessimistic is served in the order of arrival (transaction-data-contention)")
    void laterReaderWaitsBehindAWaitingWrite() throws Exception {
        try (Bench bench = Bench.open(PESSIMISTIC)) {
            await(bench.document("a").set(Map.of("n", 1)));
            ByteString first = bench.begin();
            bench.read(first, "a");
            ApiFuture<?> write = bench.document("a").set(Map.of("n", 2));
            bench.assertWaits(write, 1);
            ByteString second = bench.begin();
            ExecutorService other = Executors.newSingleThreadExecutor();
            Future<Long> read = other.submit(() -> bench.read(second, "a")
                    .get(0)
                    .getFound()
                    .getFieldsOrThrow("n")
                    .getIntegerValue());
            bench.assertWaits(write, 2);
            assertThat(read.isDone()).isFalse();
            await(bench.commit(first));
            assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo(2);
            other.shutdown();
        }
    }

    @Test
    @DisplayName("that is the younger of two that lock each other out is aborted (transaction-data-contention)")
    void youngerOfTwoIsAborted() throws Exception {
        try (Bench bench = Bench.open(PESSIMISTIC)) {
            ByteString older = bench.begin();
            ByteString younger = bench.begin();
            bench.read(older, "a");
            bench.read(younger, "a");
            ApiFuture<CommitResponse> first = bench.commit(older, bench.set("a", 1));
            bench.assertWaits(first, 1);
            assertThat(code(bench.commit(younger, bench.set("a", 2)))).isEqualTo(Code.ABORTED);
            await(first);
            assertThat(bench.number("a")).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("that retries another has its age, and wins against a younger one (R TransactionOptions.ReadWrite)")
    void retriedTransactionKeepsItsAge() throws Exception {
        try (Bench bench = Bench.open(PESSIMISTIC)) {
            ByteString lost = bench.begin();
            ByteString rival = bench.begin();
            await(bench.raw
                    .rollbackCallable()
                    .futureCall(com.google.firestore.v1.RollbackRequest.newBuilder()
                            .setDatabase(bench.database())
                            .setTransaction(lost)
                            .build()));
            ByteString retried = bench.retry(lost);
            bench.read(rival, "a");
            bench.read(retried, "a");
            ApiFuture<CommitResponse> ofRival = bench.commit(rival, bench.set("a", 1));
            bench.assertWaits(ofRival, 1);
            assertThat(code(bench.commit(retried, bench.set("a", 2)))).isEqualTo(Code.OK);
            assertThat(code(ofRival)).isEqualTo(Code.ABORTED);
        }
    }

    @Test
    @DisplayName("keeps a write waiting for at most 20 s, which then is aborted (transaction-data-contention)")
    void waitingForALockEnds() throws Exception {
        Bench.ManualClock clock = new Bench.ManualClock();
        try (Bench bench = Bench.open(PESSIMISTIC.withClock(clock))) {
            bench.read(bench.begin(), "a");
            ApiFuture<CommitResponse> write = bench.commit(ByteString.EMPTY, bench.set("a", 1));
            bench.assertWaits(write, 1);
            clock.advance(Duration.ofMillis(19_900));
            assertThatThrownBy(() -> write.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            clock.advance(Duration.ofMillis(200));
            assertThat(code(write)).isEqualTo(Code.ABORTED);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @DisplayName("expires after 60 s without a request and after 270 s in all (quotas)")
    void transactionsExpire(Mode mode) throws Exception {
        Bench.ManualClock clock = new Bench.ManualClock();
        try (Bench bench = Bench.open(Settings.DEFAULT.withMode(mode).withClock(clock))) {
            ByteString idle = bench.begin();
            ByteString busy = bench.begin();
            for (int i = 0; i < 5; i++) {
                clock.advance(Duration.ofSeconds(50));
                bench.read(busy, "a");
            }
            Status expired = Bench.status(() -> bench.read(idle, "b"));
            assertThat(expired.getCode()).isEqualTo(Code.INVALID_ARGUMENT);
            assertThat(expired.getDescription()).contains("transaction has expired");
            clock.advance(Duration.ofSeconds(20));
            assertThat(code(bench.commit(busy, bench.set("a", 1)))).isEqualTo(Code.INVALID_ARGUMENT);
            assertThat(code(bench.document("a").set(Map.of("n", 2)))).isEqualTo(Code.OK);
        }
    }

    @Test
    @DisplayName("releases its locks when it expires (quotas)")
    void expiredTransactionReleasesItsLocks() throws Exception {
        Bench.ManualClock clock = new Bench.ManualClock();
        Timers patient = new Timers(
                Duration.ofSeconds(270), Duration.ofSeconds(60), Duration.ofSeconds(100), Duration.ofHours(1));
        try (Bench bench = Bench.open(PESSIMISTIC.withClock(clock).withTimers(patient))) {
            bench.read(bench.begin(), "a");
            ApiFuture<CommitResponse> write = bench.commit(ByteString.EMPTY, bench.set("a", 1));
            bench.assertWaits(write, 1);
            clock.advance(Duration.ofSeconds(61));
            await(write);
        }
    }

    @Test
    @DisplayName("may choose its own concurrency mode (R TransactionOptions.ReadWrite)")
    void transactionChoosesItsMode() throws Exception {
        try (Bench bench = Bench.open(PESSIMISTIC)) {
            ByteString transaction = bench.begin(optimistic());
            bench.read(transaction, "a");
            await(bench.document("a").set(Map.of("n", 2)));
            assertThat(code(bench.commit(transaction, bench.set("a", 3)))).isEqualTo(Code.ABORTED);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @DisplayName("may begin with its first read (R BatchGetDocuments)")
    void firstReadBeginsATransaction(Mode mode) throws Exception {
        try (Bench bench = Bench.open(mode)) {
            List<BatchGetDocumentsResponse> answers = bench.read(BatchGetDocumentsRequest.newBuilder()
                    .setDatabase(bench.database())
                    .addDocuments(bench.name("a"))
                    .setNewTransaction(optimistic())
                    .build());
            ByteString transaction = answers.get(0).getTransaction();
            assertThat(answers.get(answers.size() - 1).getMissing()).isEqualTo(bench.name("a"));
            await(bench.document("a").set(Map.of("n", 2)));
            assertThat(code(bench.commit(transaction, bench.set("a", 3)))).isEqualTo(Code.ABORTED);
        }
    }

    private static com.google.firestore.v1.TransactionOptions optimistic() {
        return com.google.firestore.v1.TransactionOptions.newBuilder()
                .setReadWrite(ReadWrite.newBuilder().setConcurrencyMode(ConcurrencyMode.OPTIMISTIC))
                .build();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @DisplayName("cannot be used after its end (R Commit, Rollback)")
    void endedTransactionIsRefused(Mode mode) throws Exception {
        try (Bench bench = Bench.open(mode)) {
            ByteString transaction = bench.begin();
            await(bench.commit(transaction, bench.set("a", 1)));
            assertThat(code(bench.commit(transaction, bench.set("a", 2)))).isEqualTo(Code.INVALID_ARGUMENT);
            assertThat(bench.number("a")).isEqualTo(1);
        }
    }
}
