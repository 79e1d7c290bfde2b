package dev.leasehold.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.WriteBatch;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRules.Change;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Changes one document: reads it, lets the rules decide, and writes the result on condition that the document is still
 * what was read. If it is not, or if nobody knows whether the write arrived, it begins again. The rules see by the nonce
 * what an earlier try has done.
 */
final class Changing {
    /** A document that can be read, and of which so many writes in a row went unanswered, is locked by a transaction. */
    private static final int UNANSWERED = 2;

    private final Database database;
    private final Records records;

    Changing(Database database, Records records) {
        this.database = database;
        this.records = records;
    }

    /** What a verb does to a record at a moment of the server's clock. */
    interface Rule<R> {
        Change<R> decide(@Nullable LeaseRecord record, long now);
    }

    /** Changes a document; one that a transaction of the user's has locked is waited for, for as long as a call may take. */
    <R> R change(DocumentReference document, Rule<R> rule) {
        return change(document, rule, wanted -> Optional.empty());
    }

    /**
     * The same with an answer for a document that a transaction of the user's has locked.
     *
     * @param ifLocked given the answer that cannot be given because it cannot be written
     */
    <R> R change(DocumentReference document, Rule<R> rule, Function<R, Optional<R>> ifLocked) {
        Call call = database.call();
        DocumentSnapshot before = null;
        int unanswered = 0;
        while (true) {
            DocumentSnapshot seen = call.read(document);
            LeaseRecord record = records.read(seen);
            long now = ReadTime.micros(seen.getReadTime());
            Change<R> change = rule.decide(record, now);
            LeaseRecord next = change.record();
            if (next == null || isUntouched(record, next)) {
                return change.result();
            }
            if (before != null && !Objects.equals(before.getUpdateTime(), seen.getUpdateTime())) {
                unanswered = 0;
            }
            Optional<R> locked = unanswered >= UNANSWERED ? ifLocked.apply(change.result()) : Optional.empty();
            if (locked.isPresent()) {
                return locked.get();
            }
            WriteBatch batch = database.firestore.batch();
            write(batch, seen, record, next, now);
            try {
                call.commit(batch::commit);
                return change.result();
            } catch (Trouble trouble) {
                unanswered = trouble.isSilence() ? unanswered + 1 : 0;
                before = seen;
                call.pause(trouble);
            }
        }
    }

    /** The rules give the very same object if nothing is to be written. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean isUntouched(@Nullable LeaseRecord before, LeaseRecord after) {
        return after == before;
    }

    private void write(
            WriteBatch batch, DocumentSnapshot seen, @Nullable LeaseRecord before, LeaseRecord after, long now) {
        if (before == null) {
            batch.create(seen.getReference(), records.created(after, now));
        } else {
            update(batch, seen, records.changed(seen, before, after, now));
        }
    }

    /** Adds an update of some fields, on condition that the document is what was read. */
    static void update(WriteBatch batch, DocumentSnapshot seen, Map<FieldPath, Object> changes) {
        FieldPath first = changes.keySet().iterator().next();
        batch.update(
                seen.getReference(),
                Precondition.updatedAt(Objects.requireNonNull(seen.getUpdateTime())),
                first,
                changes.get(first),
                others(changes));
    }

    /** All changes but the first, as the client wants them: path, value, path, value. */
    static Object[] others(Map<FieldPath, Object> changes) {
        return changes.entrySet().stream()
                .skip(1)
                .flatMap(change -> Stream.of(change.getKey(), change.getValue()))
                .toArray();
    }
}
