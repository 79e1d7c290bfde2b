package dev.leasehold.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.api.core.SettableApiFuture;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldMask;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.cloud.firestore.Transaction;
import com.google.cloud.firestore.TransactionOptions;
import dev.leasehold.firestore.DocumentMapping.Role;
import dev.leasehold.firestore.DocumentMemory.Mark;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Page;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.RecordTraits;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseRequest.Ending;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StaleLeaseException;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreRefusedException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.store.Tenure;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Leases on the user's own documents, by a {@link DocumentMapping}: a document's status is checked and the document is
 * locked in one transaction. A document that is not there gives {@link AcquireResult.Missing}, one that is finished
 * {@link AcquireResult.Settled}. Documents are never made and never deleted, and only the mapped fields are changed.
 *
 * <p>Open it with {@link FirestoreLeaseStoreBuilder#onDocuments}. What else holds for {@link FirestoreLeaseStore} holds
 * here too, with these limits, because a document has no place for more:
 *
 * <ul>
 *   <li>No line: callers that wait ask again from time to time. No cooldown, no fingerprint, no checkpoint, no answer with
 *       bytes: requests with one are refused with a {@link StoreException}.
 *   <li>Settling with fields writes them, marks the document as the mapping says and clears the lock, in one commit.
 *       Settling without fields clears the lock and the attempts and nothing else: the status is then for the user's own
 *       transaction to write, guarded by {@link #fence}.
 *   <li>Attempts are counted only in a field for them. It is 0 again after a settlement and after a release that is not for
 *       another try.
 *   <li>Without a fence field, fences are the server's clock: they grow as long as it does, and no document keeps them.
 *   <li>With {@link DocumentMapping#ownerAsIs}, what {@link #find} shows of a document can be renewed and released by any
 *       process. Without a fence field besides, a lease is known by owner and expiry together, so a process must not use
 *       one owner for two callers at a time.
 * </ul>
 *
 * <p>Safe for use by many threads.
 */
public final class DocumentLeaseStore implements LeaseStore {
    private static final String OWN_COLLECTION = "Leave it out, or use a store with a collection of Leasehold's own.";
    private static final System.Logger LOG = System.getLogger(DocumentLeaseStore.class.getName());
    private static final int MAX_REASON = 10_000;
    private static final int LISTED_AT_ONCE = 300;
    private static final int UNANSWERED = 2;

    /** One try: when to try again is decided here. Nothing that waits runs in the callbacks, so any thread will do. */
    private static final TransactionOptions ONE_TRY = TransactionOptions.createReadWriteOptionsBuilder()
            .setNumberOfAttempts(1)
            .setExecutor(Runnable::run)
            .build();

    private final Database database;
    private final CollectionReference collection;
    private final DocumentMapping mapping;
    private final DocumentTimes times;
    private final DocumentMemory memory = new DocumentMemory();
    private final Renewing renewing;

    DocumentLeaseStore(Database database, CollectionReference collection, DocumentMapping mapping) {
        this.database = database;
        this.collection = collection;
        this.mapping = mapping;
        this.times = new DocumentTimes(mapping.hasTimestamps());
        // What a lease's renewal depends on; the rest of a document may be large.
        FieldPath[] needed =
                mapping.fields().values().stream().distinct().map(FieldPath::of).toArray(FieldPath[]::new);
        this.renewing = new Renewing(database, lease -> place(lease.key()).orElseThrow(), FieldMask.of(needed));
    }

    @Override
    public String name() {
        return "firestore:" + mapping.collection();
    }

    private Optional<DocumentReference> place(Key key) {
        return mapping.idOf(key).map(collection::document);
    }

    private DocumentSight sight(Key key, DocumentSnapshot document) {
        return new DocumentSight(mapping, key, document);
    }

    private StoreException cannot(String what, String advice, Key key) {
        return new StoreException(
                "A document of " + mapping.collection() + " cannot " + what + ": key " + key + ". " + advice);
    }

    /**
     * What a verb does to a document.
     *
     * @param written the fields to change, null for one to be removed; empty if nothing is written
     * @param ended what to note once it is known to be written
     */
    private record Decision<R>(R result, Map<String, @Nullable Object> written, Runnable ended) {
        static <R> Decision<R> of(R result) {
            return new Decision<>(result, Map.of(), () -> {});
        }
    }

    private interface Rule<R> {
        Decision<R> decide(DocumentSnapshot document);
    }

    /**
     * Reads, decides and writes in one transaction. One that is not answered in time must not keep its locks until the server
     * ends it. Google's client rolls back a transaction whose function fails, and not one that is cancelled.
     */
    private <R> R inTransaction(Call call, DocumentReference document, Rule<R> rule) throws Trouble {
        SettableApiFuture<Decision<R>> decided = SettableApiFuture.create();
        Decision<R> decision = call.commit(
                () -> database.firestore.runAsyncTransaction(
                        transaction -> {
                            decide(transaction, document, rule, decided);
                            return decided;
                        },
                        ONE_TRY),
                () -> decided.setException(new CancellationException("No answer came in time.")));
        decision.ended().run();
        return decision.result();
    }

    private <R> void decide(
            Transaction transaction, DocumentReference document, Rule<R> rule, SettableApiFuture<Decision<R>> decided) {
        ApiFuture<Decision<R>> decision = ApiFutures.transform(
                transaction.get(document),
                seen -> {
                    Decision<R> wanted = rule.decide(seen);
                    if (!wanted.written().isEmpty()) {
                        Map<FieldPath, Object> changes = changes(wanted.written());
                        FieldPath first = changes.keySet().iterator().next();
                        transaction.update(document, first, changes.get(first), Changing.others(changes));
                    }
                    return wanted;
                },
                Runnable::run);
        ApiFutures.addCallback(
                decision,
                new ApiFutureCallback<Decision<R>>() {
                    @Override
                    public void onSuccess(Decision<R> wanted) {
                        decided.set(wanted);
                    }

                    @Override
                    public void onFailure(Throwable cause) {
                        decided.setException(cause);
                    }
                },
                Runnable::run);
    }

    private <R> R change(DocumentReference document, Rule<R> rule) {
        Call call = database.call();
        while (true) {
            try {
                return inTransaction(call, document, rule);
            } catch (Trouble trouble) {
                call.pause(trouble);
            }
        }
    }

    private static Map<FieldPath, Object> changes(Map<String, @Nullable Object> written) {
        Map<FieldPath, Object> changes = new LinkedHashMap<>();
        written.forEach((name, value) -> changes.put(FieldPath.of(name), value == null ? FieldValue.delete() : value));
        return changes;
    }

    /**
     * Locks the document, or says why not. What is finished, held or missing is told after one read.
     *
     * @throws StoreException if the key belongs to no document of the collection, if a document cannot do what is asked, or
     *     if a field of the lock holds something else
     */
    @Override
    public AcquireResult acquire(AcquireRequest request) {
        Optional<DocumentReference> place = place(request.key());
        if (request.fingerprint() != null) {
            throw cannot("keep a fingerprint", OWN_COLLECTION, request.key());
        }
        if (memory.isEnded(request.key(), request.nonce())) {
            return new AcquireResult.Spent();
        }
        return place.map(document -> acquire(document, request)).orElseGet(AcquireResult.Missing::new);
    }

    private AcquireResult acquire(DocumentReference document, AcquireRequest request) {
        Call call = database.call();
        int unanswered = 0;
        Timestamp changed = null;
        while (true) {
            DocumentSnapshot seen = call.read(document);
            Decision<AcquireResult> look = granting(seen, request);
            if (look.written().isEmpty()) {
                return look.result();
            }
            if (!Objects.equals(changed, seen.getUpdateTime())) {
                changed = seen.getUpdateTime();
                unanswered = 0; // A commit got through, perhaps our own.
            }
            if (unanswered >= UNANSWERED) {
                return AcquireResult.Held.locked(Fence.of(1)); // By a transaction of the user's.
            }
            try {
                return inTransaction(call, document, current -> granting(current, request));
            } catch (Trouble trouble) {
                unanswered = trouble.isSilence() ? unanswered + 1 : 0;
                call.pause(trouble);
            }
        }
    }

    private Decision<AcquireResult> granting(DocumentSnapshot document, AcquireRequest request) {
        if (!document.exists()) {
            return Decision.of(new AcquireResult.Missing());
        }
        DocumentSight sight = sight(request.key(), document);
        LeaseRecord record = sight.recordFor(request.nonce(), null, memory);
        // A document has no line.
        AcquireRequest alone = request.inLineFor(Duration.ZERO);
        Change<AcquireResult> change = LeaseRules.acquire(record, alone, sight.now());
        if (change.result() instanceof AcquireResult.Settled settled) {
            Settlement answer = new Settlement(settled.settlement().state(), null, Micros.FOREVER, sight.fields());
            return Decision.of(
                    new AcquireResult.Settled(answer, settled.fence(), settled.attempts(), settled.remaining()));
        }
        return change.result() instanceof AcquireResult.Granted granted
                ? granted(sight, request, record, granted)
                : Decision.of(change.result());
    }

    private Decision<AcquireResult> granted(
            DocumentSight sight, AcquireRequest request, LeaseRecord before, AcquireResult.Granted granted) {
        boolean isMine = before.state() == State.HELD
                && Objects.requireNonNull(before.tenure()).nonce().equals(request.nonce());
        Map<String, @Nullable Object> written = new LinkedHashMap<>();
        String owner = DocumentSight.ownerText(mapping, request.owner(), request.nonce());
        mapping.field(Role.OWNER).ifPresent(field -> written.put(field, owner));
        // The call may have been asked before with another TTL.
        long stamp = times.ceiled(sight.now() + Micros.of(request.ttl()));
        extend(written, sight.now(), stamp);
        mapping.field(Role.FENCE)
                .ifPresent(field -> written.put(field, granted.fence().value()));
        int attempt = mapping.has(Role.ATTEMPTS) ? Math.max(1, granted.attempt()) : 1;
        if (!isMine) {
            mapping.field(Role.ATTEMPTS).ifPresent(field -> written.put(field, (long) attempt));
        }
        Predecessor predecessor =
                isMine ? memory.find(request.nonce()).map(Mark::predecessor).orElse(null) : granted.predecessor();
        AcquireResult result = new AcquireResult.Granted(
                granted.fence(), request.ttl(), attempt, predecessor, null, sight.fieldsAfter(written));
        memory.perhaps(request.nonce(), granted.fence(), owner, Micros.of(request.ttl()), predecessor, stamp);
        return new Decision<>(result, written, () -> memory.confirm(request.nonce(), stamp));
    }

    private void extend(Map<String, @Nullable Object> written, long now, long stamp) {
        mapping.field(Role.EXPIRY).ifPresent(field -> written.put(field, times.written(stamp)));
        mapping.field(Role.HEARTBEAT).ifPresent(field -> written.put(field, times.written(now)));
    }

    /** Two requests for each hundred leases. Each document is written only if nobody has changed it meanwhile. */
    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        return renew(leases, null);
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return renew(List.of(lease), ttl).stream().findFirst();
    }

    private List<Renewal> renew(List<LeaseRef> leases, @Nullable Duration ttl) {
        List<LeaseRef> possible =
                leases.stream().filter(lease -> place(lease.key()).isPresent()).toList();
        Map<LeaseRef, Long> stamps = new HashMap<>();
        List<Renewal> renewals = renewing.renew(possible, (seen, lease) -> extension(seen, lease, ttl, stamps));
        renewals.stream()
                .filter(Renewal::isExtended)
                .map(Renewal::lease)
                .forEach(lease -> memory.confirm(lease.nonce(), Objects.requireNonNull(stamps.get(lease))));
        return renewals;
    }

    private Optional<Renewing.Extension> extension(
            DocumentSnapshot document, LeaseRef lease, @Nullable Duration ttl, Map<LeaseRef, Long> stamps) {
        if (!document.exists()) {
            return Optional.empty();
        }
        DocumentSight sight = sight(lease.key(), document);
        LeaseRecord record = sight.recordFor(lease.nonce(), lease.fence(), memory);
        Optional<Mark> mark = memory.find(lease.nonce());
        Duration asked =
                ttl == null ? Micros.toDuration(mark.map(Mark::ttlMicros).orElseGet(() -> ttlOf(record))) : ttl;
        Optional<Renewal> renewal =
                LeaseRules.renew(record, lease, asked, sight.now()).result();
        if (renewal.isEmpty()) {
            return Optional.empty();
        }
        long stamp = times.ceiled(sight.now() + Micros.of(asked));
        stamps.put(lease, stamp);
        Owner owner = Objects.requireNonNull(record.tenure()).owner();
        if (mark.isPresent() || owner != null) {
            String text = mark.map(Mark::owner)
                    .orElseGet(() -> DocumentSight.ownerText(mapping, Objects.requireNonNull(owner), lease.nonce()));
            memory.perhaps(lease.nonce(), lease.fence(), text, Micros.of(asked), null, stamp);
        }
        Map<String, @Nullable Object> written = new LinkedHashMap<>();
        extend(written, sight.now(), stamp);
        Duration left = Micros.toDuration(Math.max(0, record.expiryMicros() - sight.now()));
        return Optional.of(new Renewing.Extension(renewal.get(), left, changes(written)));
    }

    private static long ttlOf(LeaseRecord record) {
        Tenure tenure = record.tenure();
        return tenure == null ? 1 : tenure.ttlMicros();
    }

    /**
     * {@inheritDoc}
     *
     * @throws StoreUnsupportedException if the answer is to be forgotten: the document is the user's, and the mapping does
     *     not say what one without an answer looks like
     */
    @Override
    public ReleaseResult release(ReleaseRequest request) {
        if (request.ending() == Ending.FORGET) {
            throw new StoreUnsupportedException("The document of " + request.key()
                    + " cannot be forgotten, because it is the answer. To have its work done anew, set its field "
                    + mapping.field(Role.DONE).orElse("for the status")
                    + " to what an unfinished document has there.");
        }
        if (!request.cooldown().isZero()) {
            throw cannot("keep a cooldown", OWN_COLLECTION, request.key());
        }
        return end(request) ? ReleaseResult.RELEASED : ReleaseResult.NOT_HELD;
    }

    private boolean end(ReleaseRequest request) {
        return place(request.key())
                .map(document -> {
                    Clearing earlier = new Clearing();
                    return change(document, seen -> ending(seen, request, earlier));
                })
                .orElse(false);
    }

    /** What earlier tries of one call found that may have cleared the lock without telling. */
    private static final class Clearing {
        /** Until then nobody else can have ended the lease. */
        private long sureUntil = Long.MIN_VALUE;
    }

    private Decision<Boolean> ending(DocumentSnapshot document, ReleaseRequest request, Clearing earlier) {
        boolean wasEnded = memory.isEnded(request.key(), request.nonce(), request.fence());
        if (!document.exists()) {
            return Decision.of(wasEnded);
        }
        DocumentSight sight = sight(request.key(), document);
        LeaseRecord record = sight.recordFor(request.nonce(), request.fence(), memory);
        Fence fence = request.fence() == null ? record.fence() : request.fence();
        Runnable noting = () -> memory.end(request.key(), request.nonce(), fence);
        // A finished document is the user's to change.
        ReleaseRequest ending = request.withEnding(Ending.WIPE);
        Change<ReleaseResult> change = LeaseRules.release(record, ending, sight.now());
        if (change.result() == ReleaseResult.RELEASED) {
            earlier.sureUntil = sight.stamp();
            boolean isForAnotherTry = request.ending() == Ending.KEEP_ATTEMPTS;
            return new Decision<>(true, cleared(isForAnotherTry), noting);
        }
        if (sight.now() < earlier.sureUntil || sight.wasReleasedBy(request.fence())) {
            return new Decision<>(true, Map.of(), noting);
        }
        return Decision.of(wasEnded);
    }

    /**
     * Owner and expiry are removed. The fence stays, and so does the heartbeat, which tells when the holder was last heard
     * of; the count of attempts stays if there is to be another.
     */
    private Map<String, @Nullable Object> cleared(boolean isForAnotherTry) {
        Map<String, @Nullable Object> written = new LinkedHashMap<>();
        for (Role role : List.of(Role.OWNER, Role.EXPIRY)) {
            mapping.field(role).ifPresent(field -> written.put(field, null));
        }
        if (!isForAnotherTry) {
            mapping.field(Role.ATTEMPTS).ifPresent(field -> written.put(field, 0L));
        }
        return written;
    }

    /**
     * Ends the lease. With fields, one commit writes them, marks the document as done or failed, clears the lock and sets
     * the attempts to 0. Without fields, it clears the lock and the attempts and changes nothing else.
     *
     * @throws StoreException if the document has no place for the settlement: bytes, a checkpoint, a hold, or a mark that
     *     the mapping does not have
     * @throws StoreRefusedException if the fields do not fit into the document
     */
    @Override
    public SettleResult settle(SettleRequest request) {
        LeaseRef lease = request.lease();
        Settlement settlement = request.settlement();
        if (settlement.payload() != null || settlement.state() == State.HOLD || settlement.isCheckpoint()) {
            throw cannot("keep an answer of bytes, a checkpoint or a hold", OWN_COLLECTION, lease.key());
        }
        Fields asked = settlement.fields();
        if (asked == null) {
            return end(ReleaseRequest.of(lease)) ? SettleResult.SETTLED : SettleResult.SUPERSEDED;
        }
        if (!mapping.has(Role.DONE)) {
            throw cannot("be marked as done", "Add doneWhen or doneWhenNotNull to the mapping.", lease.key());
        }
        if (settlement.state() == State.FAILED && !mapping.has(Role.FAILED)) {
            throw cannot("be marked as failed", "Add failedWhen to the mapping.", lease.key());
        }
        Map<String, @Nullable Object> result = result(lease.key(), settlement.state(), asked);
        return place(lease.key())
                .map(document -> settle(document, request, result))
                .orElse(SettleResult.SUPERSEDED);
    }

    private SettleResult settle(
            DocumentReference document, SettleRequest request, Map<String, @Nullable Object> result) {
        Call call = database.call();
        while (true) {
            try {
                return inTransaction(call, document, seen -> settling(seen, request, result));
            } catch (Trouble trouble) {
                if (trouble.kind() == Trouble.Kind.REFUSED) {
                    throw new StoreRefusedException(
                            "Firestore refused the result of " + document.getPath() + " (fields: "
                                    + String.join(", ", result.keySet()) + "): " + trouble.getMessage(),
                            trouble.getCause());
                }
                call.pause(trouble);
            }
        }
    }

    /** What the work's end writes: its result, or the reason of its failure. */
    private Map<String, @Nullable Object> result(Key key, State state, Fields asked) {
        Map<String, @Nullable Object> written = new LinkedHashMap<>();
        if (state == State.FAILED) {
            for (Role role : List.of(Role.REASON, Role.CODE)) {
                mapping.field(role).ifPresent(field -> written.put(field, cut(asked.value(field))));
            }
            return written;
        }
        for (String name : asked.names()) {
            if (!mapping.writes().contains(name)) {
                throw new StoreException("A run may not write the field " + name + " of " + mapping.collection()
                        + ". Name it in writes(...) of the mapping, or leave it out of what the codec writes."
                        + " It may write: " + mapping.writes() + ".");
            }
            try {
                written.put(name, DocumentValues.toFirestore(asked.value(name)));
            } catch (IllegalArgumentException e) {
                throw new StoreRefusedException(
                        "The field " + name + " of " + key + " cannot be written: " + e.getMessage(), e);
            }
        }
        return written;
    }

    /** A failure is kept even if its reason is huge. */
    private static @Nullable String cut(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        String text = value.toString();
        int end = Math.min(text.length(), MAX_REASON);
        boolean isHalf = end > 0 && end < text.length() && Character.isHighSurrogate(text.charAt(end - 1));
        // Half a character, which Firestore does not take, becomes a question mark.
        byte[] whole = text.substring(0, isHalf ? end - 1 : end).getBytes(StandardCharsets.UTF_8);
        return new String(whole, StandardCharsets.UTF_8);
    }

    private Decision<SettleResult> settling(
            DocumentSnapshot document, SettleRequest request, Map<String, @Nullable Object> result) {
        LeaseRef lease = request.lease();
        if (!document.exists()) {
            return Decision.of(SettleResult.SUPERSEDED);
        }
        DocumentSight sight = sight(lease.key(), document);
        LeaseRecord record = sight.recordFor(lease.nonce(), lease.fence(), memory);
        State state = request.settlement().state();
        boolean isOurs = record.state() == State.HELD
                && LeaseRules.settle(record, request, sight.now()).result().isSettled();
        if (!isOurs) {
            return Decision.of(settledBefore(sight, lease, state, result));
        }
        Map<String, @Nullable Object> written = new LinkedHashMap<>(result);
        mark(written, state, sight.now());
        written.putAll(cleared(false));
        SettleResult settled =
                SettleResult.settled(Objects.requireNonNullElse(sight.fieldsAfter(written), Fields.NONE));
        return new Decision<>(settled, written, () -> {});
    }

    private void mark(Map<String, @Nullable Object> written, State state, long now) {
        if (state == State.FAILED) {
            mapping.field(Role.FAILED).ifPresent(field -> written.put(field, mapping.failedValue()));
        } else {
            String value = mapping.doneValue();
            mapping.field(Role.DONE).ifPresent(field -> written.put(field, value == null ? times.written(now) : value));
        }
    }

    /** What an earlier try of the same request did, whose reply was lost. */
    private SettleResult settledBefore(
            DocumentSight sight, LeaseRef lease, State state, Map<String, @Nullable Object> result) {
        // A settlement removes the expiry. Where it still stands, another program has marked the document.
        boolean isWanted = sight.isFinished() && !sight.hasExpiry() && sight.isFailed() == (state == State.FAILED);
        if (!isWanted) {
            return SettleResult.SUPERSEDED;
        }
        SettleResult recorded = SettleResult.settled(Objects.requireNonNullElse(sight.fields(), Fields.NONE));
        if (mapping.has(Role.FENCE)) {
            if (!sight.isFencedBy(lease.fence())) {
                return SettleResult.SUPERSEDED;
            }
            // Somebody who marks a document by hand and clears its lock leaves the fence.
            return sight.has(result) ? recorded : SettleResult.UNKNOWN;
        }
        // Until the last expiry that this holder wrote, nobody else can have taken the document.
        Long sureUntil = memory.find(lease.nonce()).map(Mark::confirmed).orElse(null);
        boolean isSure = sureUntil != null && sight.now() < sureUntil && sight.has(result);
        return isSure ? recorded : SettleResult.UNKNOWN;
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        return place(key)
                .map(document -> database.call().read(document))
                .filter(DocumentSnapshot::exists)
                .map(document -> sight(key, document).snapshot());
    }

    /**
     * Reads the documents in the order of their ids until the page is full: for people, not for programs. A document whose
     * lock cannot be read is left out, and the log says so.
     */
    @Override
    public Page list(ListRequest request) {
        List<LeaseSnapshot> found = new ArrayList<>();
        Query query = collection.orderBy(FieldPath.documentId()).limit(LISTED_AT_ONCE);
        Key after = request.after();
        Optional<String> start = after == null ? Optional.empty() : mapping.idOf(after);
        Query next = start.isPresent() ? query.startAfter(start.get()) : query;
        while (true) {
            QuerySnapshot page = database.call().read(next::get);
            for (DocumentSnapshot document : page.getDocuments()) {
                Optional<LeaseSnapshot> snapshot = listed(document, request);
                if (snapshot.isPresent() && found.size() == request.limit()) {
                    return new Page(found, found.get(found.size() - 1).key());
                }
                snapshot.ifPresent(found::add);
            }
            if (page.size() < LISTED_AT_ONCE) {
                return new Page(found, null);
            }
            next = query.startAfter(page.getDocuments().get(page.size() - 1));
        }
    }

    private Optional<LeaseSnapshot> listed(DocumentSnapshot document, ListRequest request) {
        Key key;
        try {
            key = mapping.keyOf(document.getId());
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // No key can be so long, so nobody can lease it.
        }
        if (!request.covers(key)) {
            return Optional.empty();
        }
        return readable(key, document)
                .map(DocumentSight::snapshot)
                .filter(snapshot -> request.states().contains(snapshot.record().state()));
    }

    /** One document that cannot be read must not hide all others. */
    private Optional<DocumentSight> readable(Key key, DocumentSnapshot document) {
        try {
            return Optional.of(sight(key, document));
        } catch (StoreException e) {
            LOG.log(System.Logger.Level.WARNING, "Left out of a list: {0}", e.getMessage());
            return Optional.empty();
        }
    }

    @Override
    public Optional<RecordTraits> recordTraits() {
        return Optional.of(mapping.traits());
    }

    /** Drops nothing: the documents are the user's. */
    @Override
    public int purge(Duration retained, int limit) {
        return 0;
    }

    /**
     * Makes the user's transaction stand or fall with the lease: it reads the document, so that it cannot commit once
     * somebody else was granted the lease. What the transaction writes after this, such as the status of the document, is
     * written under the current lease or not at all. Call it before the transaction's writes. The lease can hardly be
     * renewed while a pessimistic transaction is open, and each renewal makes an optimistic one begin again, so the
     * transaction should be much shorter than the TTL.
     *
     * @param transaction of the client that the store was opened on
     * @throws StaleLeaseException if the lease is no longer current; nothing may be written then
     */
    public void fence(Transaction transaction, LeaseRef lease) {
        Fencing.await(fenceAsync(transaction, lease));
    }

    /** The same for {@code runAsyncTransaction}: the future fails with a {@link StaleLeaseException}. */
    public ApiFuture<Void> fenceAsync(Transaction transaction, LeaseRef lease) {
        Optional<DocumentReference> place = place(lease.key());
        if (place.isEmpty()) {
            return ApiFutures.immediateFailedFuture(new StaleLeaseException(lease));
        }
        return ApiFutures.transform(
                transaction.get(place.get()),
                seen -> {
                    if (!Fencing.ofSameClient(seen).exists()
                            || !sight(lease.key(), seen)
                                    .isOf(lease.nonce(), lease.fence(), memory.find(lease.nonce()))) {
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
