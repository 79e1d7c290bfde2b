package dev.leasehold.firestore;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Transaction;
import com.google.cloud.firestore.TransactionOptions;
import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.interleaving.Arena;
import dev.leasehold.tck.interleaving.Cell;
import dev.leasehold.tck.interleaving.InterleavingContract;
import dev.leasehold.tck.interleaving.Matrix;
import dev.leasehold.tck.interleaving.Rival;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Verbs that meet another transaction, on Firestore in pessimistic mode")
class FirestoreInterleavingTest extends InterleavingContract {
    private static final int SAMPLE = 1_500;

    @Override
    protected List<Cell> cells() {
        return Matrix.sample(super.cells(), SAMPLE);
    }

    @Override
    protected Arena arena(Duration callLimit) {
        TestFirestore server = TestFirestore.shared(Mode.PESSIMISTIC);
        String collection = "bout-" + UUID.randomUUID();
        LeaseStore store =
                server.builder().collection(collection).callLimit(callLimit).open();
        Firestore client = server.client();
        return new Arena() {
            @Override
            public LeaseStore store() {
                return store;
            }

            @Override
            public Rival rival() {
                return new FirestoreRival(client, collection);
            }

            @Override
            public Duration patience() {
                return Duration.ofMillis(60);
            }

            @Override
            public void close() {
                store.close();
                client.shutdownNow();
            }
        };
    }

    /** That a call waits cannot be seen from outside: after its patience the contract lets the rival go on. */
    @Override
    protected int fewestThatWait(int cells) {
        return 0;
    }

    /** A transaction on a thread of its own, which is told what to do next. */
    private static final class FirestoreRival implements Rival {
        private interface Step {
            /** @return whether the transaction is over */
            boolean run(Transaction transaction) throws Exception;
        }

        private static final class RolledBack extends RuntimeException {
            private static final long serialVersionUID = 1L;
        }

        private final Firestore client;
        private final CollectionReference leases;
        private final Records records = new Records(Map.of());
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private SynchronousQueue<Step> steps = new SynchronousQueue<>();
        private @Nullable Future<?> transaction;
        private @Nullable DocumentSnapshot seen;

        FirestoreRival(Firestore client, String collection) {
            this.client = client;
            this.leases = client.collection(collection);
        }

        private DocumentReference document(Key key) {
            return leases.document(new DocumentIds("").of(key));
        }

        private <T> T step(Asking<T> asking, boolean isLast) throws Exception {
            CompletableFuture<T> done = new CompletableFuture<>();
            steps.put(open -> {
                try {
                    done.complete(asking.ask(open));
                } catch (Exception e) {
                    done.completeExceptionally(e);
                }
                return isLast;
            });
            return done.get();
        }

        private interface Asking<T> {
            T ask(Transaction transaction) throws Exception;
        }

        @Override
        public Optional<LeaseRecord> lock(Key key) throws Exception {
            SynchronousQueue<Step> mine = new SynchronousQueue<>();
            steps = mine;
            TransactionOptions once = TransactionOptions.createReadWriteOptionsBuilder()
                    .setNumberOfAttempts(1)
                    .setExecutor(threads)
                    .build();
            transaction = client.runTransaction(
                    open -> {
                        while (!mine.take().run(open)) {}
                        return null;
                    },
                    once);
            DocumentSnapshot read = step(open -> open.get(document(key)).get(), false);
            seen = read;
            return Optional.ofNullable(records.read(read));
        }

        @Override
        public void write(Key key, @Nullable LeaseRecord before, @Nullable LeaseRecord after) throws Exception {
            step(
                    open -> {
                        if (after == null) {
                            return open.delete(document(key));
                        }
                        if (before == null) {
                            return open.create(document(key), records.created(after, 0));
                        }
                        Map<FieldPath, Object> changes =
                                records.changed(Objects.requireNonNull(seen), before, after, 0);
                        FieldPath first = changes.keySet().iterator().next();
                        return open.update(document(key), first, changes.get(first), Changing.others(changes));
                    },
                    false);
        }

        @Override
        public void commit() throws Exception {
            step(open -> true, true);
            Objects.requireNonNull(transaction).get();
        }

        @Override
        public void rollback() throws Exception {
            steps.put(open -> {
                throw new RolledBack();
            });
            try {
                Objects.requireNonNull(transaction).get();
            } catch (ExecutionException e) {
                // As it was meant to be.
            }
        }

        @Override
        public boolean isWaitedFor() {
            return false;
        }

        @Override
        public Optional<LeaseRecord> read(Key key) throws Exception {
            return Optional.ofNullable(records.read(document(key).get().get()));
        }

        @Override
        public long nowMicros() throws Exception {
            Timestamp time = leases.document(StartChecks.CHECK).get().get().getReadTime();
            return ReadTime.micros(time);
        }

        @Override
        public void close() {
            threads.shutdownNow();
        }
    }
}
