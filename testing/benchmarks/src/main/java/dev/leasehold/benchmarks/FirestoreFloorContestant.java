package dev.leasehold.benchmarks;

import com.google.api.core.ApiFuture;
import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode.Code;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.WriteResult;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;

/**
 * The floor on Firestore: a hand-written lease with the fewest requests. Acquire reads the document, then writes it on
 * condition that it has not changed. Release is one write on the same condition. The update time of the grant is the fence.
 */
final class FirestoreFloorContestant implements Contestant.Locks {
    private static final String COLLECTION = "floor";
    private static final Set<Code> CHANGED = Set.of(Code.ALREADY_EXISTS, Code.FAILED_PRECONDITION);

    @Override
    public String name() {
        return "floor";
    }

    @Override
    public boolean knows(StoreKind store) {
        return store == StoreKind.FIRESTORE;
    }

    @Override
    public Node<Worker.Locker> locking(Bed bed, Cell cell) {
        Firestore firestore = FirestoreBed.of(bed).firestore;
        long ttlSeconds = cell.ttl().toSeconds();
        return new Node<>(
                () -> key -> tryAcquire(firestore.collection(COLLECTION).document(key), ttlSeconds));
    }

    private static Optional<Worker.Hold> tryAcquire(DocumentReference document, long ttlSeconds)
            throws ExecutionException, InterruptedException {
        DocumentSnapshot seen = document.get().get();
        long now = seen.getReadTime() == null ? 0 : seen.getReadTime().getSeconds();
        Timestamp expiry = seen.getTimestamp("expiry");
        if (expiry != null && expiry.getSeconds() > now) {
            return Optional.empty();
        }
        Map<String, Object> lock =
                Map.of("owner", Nonces.fresh(), "expiry", Timestamp.ofTimeSecondsAndNanos(now + ttlSeconds, 0));
        Timestamp version = seen.getUpdateTime();
        Optional<WriteResult> written = written(
                version == null ? document.create(lock) : document.update(lock, Precondition.updatedAt(version)));
        return written.map(grant -> () -> release(document, grant.getUpdateTime()));
    }

    private static void release(DocumentReference document, Timestamp version) throws Exception {
        written(document.update(
                Map.of("expiry", Timestamp.ofTimeSecondsAndNanos(0, 0)), Precondition.updatedAt(version)));
    }

    /** Returns the result of the write, or nothing if the document has changed. */
    private static Optional<WriteResult> written(ApiFuture<WriteResult> write)
            throws ExecutionException, InterruptedException {
        try {
            return Optional.of(write.get());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ApiException refused
                    && CHANGED.contains(refused.getStatusCode().getCode())) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
