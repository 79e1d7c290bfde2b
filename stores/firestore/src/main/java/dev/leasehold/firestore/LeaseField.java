package dev.leasehold.firestore;

import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.Owner;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An extra field of a lease's document, for other programs that read the collection. Leasehold writes the field
 * each time it writes the document, and never reads it.
 */
@FunctionalInterface
public interface LeaseField {
    /** The moment of the last grant or renewal; nothing while nobody holds the lease. */
    LeaseField WRITTEN_AT = (record, now) -> record.state() == State.HELD ? now : null;

    /** The owner's label; nothing while nobody holds the lease. */
    LeaseField OWNER = (record, now) -> {
        Tenure tenure = record.tenure();
        Owner owner = tenure == null || record.state() != State.HELD ? null : tenure.owner();
        return owner == null ? null : owner.label();
    };

    /**
     * The field's value, which {@link dev.leasehold.store.Fields} must be able to keep; null removes the field.
     *
     * @param record what is about to be written
     * @param now the server's clock
     */
    @Nullable
    Object value(LeaseRecord record, Instant now);
}
