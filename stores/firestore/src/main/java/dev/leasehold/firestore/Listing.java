package dev.leasehold.firestore;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.cloud.firestore.WriteBatch;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Page;
import dev.leasehold.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Lists and purges records, by indexes of single fields, which Firestore makes by itself. */
final class Listing {
    private static final int MOST_DELETES = 100;

    private final Database database;
    private final CollectionReference collection;
    private final Records records;

    Listing(Database database, CollectionReference collection, Records records) {
        this.database = database;
        this.collection = collection;
        this.records = records;
    }

    /** One query for all states, or one for each: pages of several states are merged. */
    Page list(ListRequest request) {
        List<LeaseSnapshot> found = new ArrayList<>();
        if (request.states().size() == State.values().length) {
            found.addAll(keys(request, FieldPath.of(Records.KEY)));
        } else {
            request.states().forEach(state -> found.addAll(keys(request, FieldPath.of(Records.LISTED, state.name()))));
            found.sort(Comparator.comparing(LeaseSnapshot::key));
        }
        if (found.size() <= request.limit()) {
            return new Page(found, null);
        }
        List<LeaseSnapshot> page = found.subList(0, request.limit());
        return new Page(page, page.get(page.size() - 1).key());
    }

    /** The first records of the request by this field, which holds their keys; one more than wanted, if there are. */
    private List<LeaseSnapshot> keys(ListRequest request, FieldPath field) {
        Query query = collection.orderBy(field).limit(request.limit() + 1);
        Key after = request.after();
        String prefix = request.prefix();
        if (after != null && after.value().compareTo(prefix) >= 0) {
            query = query.startAfter(after.value());
        } else if (!prefix.isEmpty()) {
            query = query.startAt(prefix);
        }
        String end = behind(prefix);
        if (!end.isEmpty()) {
            query = query.endBefore(end);
        }
        QuerySnapshot answer = database.call().read(query::get);
        long now = ReadTime.micros(answer.getReadTime());
        return answer.getDocuments().stream()
                .map(document -> Objects.requireNonNull(records.read(document)))
                .filter(record -> request.covers(record.key()))
                .map(record -> new LeaseSnapshot(record, now))
                .toList();
    }

    /** The first text behind all that begin with the prefix, by code point; empty if there is none. */
    static String behind(String prefix) {
        StringBuilder text = new StringBuilder(prefix);
        while (text.length() > 0) {
            int last = text.codePointBefore(text.length());
            text.setLength(text.length() - Character.charCount(last));
            if (last < Character.MAX_CODE_POINT) {
                int next = last + 1;
                boolean isSurrogate = next >= Character.MIN_SURROGATE && next <= Character.MAX_SURROGATE;
                return text.appendCodePoint(isSurrogate ? Character.MAX_SURROGATE + 1 : next)
                        .toString();
            }
        }
        return "";
    }

    int purge(Duration retained, int limit) {
        int dropped = 0;
        QueryDocumentSnapshot last = null;
        while (dropped < limit) {
            int size = Math.min(MOST_DELETES, limit - dropped);
            QuerySnapshot page = database.call().read(page(retained, size, last)::get);
            long now = ReadTime.micros(page.getReadTime());
            List<QueryDocumentSnapshot> over = page.getDocuments().stream()
                    .filter(document -> isPurgeable(document, retained, now))
                    .toList();
            dropped += delete(over);
            if (page.size() < size) {
                return dropped;
            }
            last = page.getDocuments().get(page.size() - 1);
        }
        return dropped;
    }

    private Query page(Duration retained, int size, @Nullable QueryDocumentSnapshot last) {
        long then = now() - Micros.of(retained);
        Query query = collection
                .whereLessThanOrEqualTo(Records.EXPIRY, then)
                .orderBy(Records.EXPIRY)
                .select(Records.pathsWithoutPayload())
                .limit(size);
        return last == null ? query : query.startAfter(last);
    }

    /** The server's clock. */
    private long now() {
        return ReadTime.micros(
                database.call().read(collection.document(StartChecks.CHECK)).getReadTime());
    }

    private boolean isPurgeable(QueryDocumentSnapshot document, Duration retained, long now) {
        LeaseRecord record = records.read(document);
        return record != null && LeaseRules.isPurgeable(record, retained, now);
    }

    /** Together, or one by one if one of them has changed meanwhile. */
    private int delete(List<QueryDocumentSnapshot> documents) {
        if (documents.isEmpty() || isDeleted(documents)) {
            return documents.size();
        }
        return (int) documents.stream()
                .filter(document -> isDeleted(List.of(document)))
                .count();
    }

    private boolean isDeleted(List<QueryDocumentSnapshot> documents) {
        WriteBatch batch = database.firestore.batch();
        documents.forEach(document -> batch.delete(
                document.getReference(), Precondition.updatedAt(Objects.requireNonNull(document.getUpdateTime()))));
        try {
            database.call().commit(batch::commit);
            return true;
        } catch (Trouble trouble) {
            if (trouble.kind() == Trouble.Kind.FATAL || trouble.kind() == Trouble.Kind.REFUSED) {
                throw database.explained(trouble);
            }
            return false; // The next purge finds what is still there.
        }
    }
}
