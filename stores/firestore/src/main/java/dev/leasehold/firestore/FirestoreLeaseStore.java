package dev.leasehold.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Transaction;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Page;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.StaleLeaseException;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreUrl;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Leases in Firestore, in a collection of their own: one document for each key.
 *
 * <p>Each verb reads the document, decides by the read time that the server gave with it, and writes on condition that
 * the document is still the same: one request for a refusal, two for a grant, a release or an answer. The clock of this
 * machine decides nothing. Callers that wait ask again from time to time; a release hands the lease over to the first in
 * line. {@link DocumentLeaseStore} leases the user's own documents.
 *
 * <p>A document can be written about once a second for a long time, and more often for a short one. So many callers can
 * share one collection, but one key is no place for thousands of short leases a minute.
 *
 * <p>Safe for use by many threads.
 */
public final class FirestoreLeaseStore implements LeaseStore {
    /** A line is a part of the document, which has a limit; callers beyond it ask again without a place. */
    private static final int MOST_IN_LINE = 100;

    private final Database database;
    private final CollectionReference collection;
    private final DocumentIds ids;
    private final Records records;
    private final Changing changing;
    private final Renewing renewing;
    private final Listing listing;

    FirestoreLeaseStore(Database database, String collection, DocumentIds ids, Records records) {
        this.database = database;
        this.collection = database.firestore.collection(collection);
        this.ids = ids;
        this.records = records;
        this.changing = new Changing(database, records);
        this.renewing = new Renewing(database, lease -> document(lease.key()), Records.withoutPayload());
        this.listing = new Listing(database, this.collection, records);
    }

    /**
     * A store at this URL, such as {@code firestore:my-project}; {@link FirestoreStoreProvider} knows all forms.
     *
     * @throws dev.leasehold.store.StoreUnavailableException if Firestore cannot be reached
     * @throws dev.leasehold.store.StoreException if project, database, credentials or rights are missing
     */
    public static FirestoreLeaseStore of(String url) {
        return FirestoreUrl.of(StoreUrl.of(url)).builder().open();
    }

    /** On the user's own client, which the store never closes. */
    public static FirestoreLeaseStoreBuilder builder(Firestore firestore) {
        return new FirestoreLeaseStoreBuilder(firestore);
    }

    /** On a client of the store's own, for this project and Google's default credentials. */
    public static FirestoreLeaseStoreBuilder builder(String project) {
        return new FirestoreLeaseStoreBuilder(project, null);
    }

    @Override
    public String name() {
        return "firestore";
    }

    private DocumentReference document(Key key) {
        return collection.document(ids.of(key));
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        return changing.change(
                document(request.key()),
                (record, now) -> acquire(record, request, now),
                wanted -> Optional.of(locked(wanted)));
    }

    /** A refusal stands without the place in line that could not be written; a grant does not. */
    private static AcquireResult locked(AcquireResult wanted) {
        return wanted instanceof AcquireResult.Held held
                ? held.withoutPlace()
                : AcquireResult.Held.locked(
                        wanted instanceof AcquireResult.Granted granted ? granted.fence() : Fence.of(1));
    }

    private static Change<AcquireResult> acquire(@Nullable LeaseRecord record, AcquireRequest request, long now) {
        Change<AcquireResult> change = LeaseRules.acquire(record, request, now);
        LeaseRecord next = change.record();
        boolean isTooLong = record != null
                && next != null
                && next.line().size() > Math.max(MOST_IN_LINE, record.line().size());
        return isTooLong && change.result() instanceof AcquireResult.Held held
                ? new Change<>(record, held.withoutPlace(), List.of())
                : change;
    }

    /** Two requests for each hundred leases, unless one of their documents is being changed. */
    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        return renewing.renew(
                leases, (seen, lease) -> extension(seen, (record, now) -> LeaseRules.renew(record, lease, now)));
    }

    @Override
    public Optional<Renewal> renew(LeaseRef one, Duration ttl) {
        return renewing
                .renew(
                        List.of(one),
                        (seen, lease) -> extension(seen, (record, now) -> LeaseRules.renew(record, lease, ttl, now)))
                .stream()
                .findFirst();
    }

    private Optional<Renewing.Extension> extension(DocumentSnapshot seen, Changing.Rule<Optional<Renewal>> rule) {
        LeaseRecord record = records.read(seen);
        long now = ReadTime.micros(seen.getReadTime());
        Change<Optional<Renewal>> change = rule.decide(record, now);
        LeaseRecord next = change.record();
        if (record == null || next == null || change.result().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Renewing.Extension(
                change.result().get(),
                Micros.toDuration(Math.max(0, record.expiryMicros() - now)),
                records.changed(seen, record, next, now)));
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        return changing.change(document(request.key()), (record, now) -> LeaseRules.release(record, request, now));
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        return changing.change(
                document(request.lease().key()), (record, now) -> LeaseRules.settle(record, request, now));
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        DocumentSnapshot seen = database.call().read(document(key));
        LeaseRecord record = records.read(seen);
        return record == null
                ? Optional.empty()
                : Optional.of(new LeaseSnapshot(record, ReadTime.micros(seen.getReadTime())));
    }

    /** One query for all states together; else one for each state, of which each reads a page of its own. */
    @Override
    public Page list(ListRequest request) {
        return listing.list(request);
    }

    @Override
    public int purge(Duration retained, int limit) {
        return listing.purge(retained, limit);
    }

    /**
     * Makes the user's transaction stand or fall with the lease: it reads the lease's document, so that it cannot commit
     * once somebody else was granted the lease. Call it before the transaction's writes. The lease can hardly be renewed
     * while a pessimistic transaction is open, and each renewal makes an optimistic one begin again, so the transaction
     * should be much shorter than the TTL.
     *
     * @param transaction of the client that the store was opened on by {@link #builder(Firestore)}
     * @throws StaleLeaseException if the lease is no longer current; nothing may be written then
     */
    public void fence(Transaction transaction, LeaseRef lease) {
        Fencing.await(fenceAsync(transaction, lease));
    }

    /** The same for {@code runAsyncTransaction}: the future fails with a {@link StaleLeaseException}. */
    public ApiFuture<Void> fenceAsync(Transaction transaction, LeaseRef lease) {
        return ApiFutures.transform(
                transaction.get(document(lease.key())),
                seen -> {
                    LeaseRecord record = records.read(Fencing.ofSameClient(seen));
                    if (record == null || record.state() != State.HELD || !lease.equals(record.ref())) {
                        throw new StaleLeaseException(lease);
                    }
                    return null;
                },
                Runnable::run);
    }

    @Override
    public Duration longestCall() {
        return database.longestCall();
    }

    /** Closes the client if it is the store's own. Leases live on. */
    @Override
    public void close() {
        database.close();
    }
}
