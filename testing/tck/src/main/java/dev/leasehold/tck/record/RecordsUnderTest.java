package dev.leasehold.tck.record;

import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import org.jspecify.annotations.Nullable;

/**
 * Records of a user's own, as {@link RecordRunContract} needs them: {@code jobs} with the text fields {@code id},
 * {@code status}, {@code text}, {@code note} and {@code error}, and the whole number {@code words}. The mapping takes
 * status {@code READY} for done and {@code FAILED} for failed, {@code error} for the reason, has a heartbeat, counts
 * {@code attempts}, and lets a run write {@code text} and {@code words}.
 */
public interface RecordsUnderTest extends AutoCloseable {
    /** A new store on the records, with a memory of its own. The contract closes it. */
    LeaseStore open();

    Key keyOf(String id);

    /** Makes a record that is free, past Leasehold. */
    void create(String id, @Nullable String status, String text);

    /** Sets a field of a record, past Leasehold. */
    void set(String id, String field, @Nullable Object value);

    /**
     * The fields of a record, past Leasehold; {@code attempts} among them, {@code locked}, true if it is, and {@code heard},
     * true if its heartbeat has a value.
     */
    Fields read(String id);

    /** Moves the expiry of the record's lock into the past. */
    void expire(String id);

    /** The name of the record for people, such as {@code jobs/42}. */
    String nameOf(String id);

    @Override
    void close();
}
