package dev.leasehold.jdbc;

import dev.leasehold.store.Fields;
import org.jspecify.annotations.Nullable;

/**
 * The content of a user's row beside its lease.
 *
 * @param fields what a run reads; null if it was not asked for, or the mapping is for leases only
 */
record RowContent(boolean isFailed, int attempts, @Nullable Fields fields) {
    static final RowContent NONE = new RowContent(false, 1, null);

    RowContent withOneMoreAttempt() {
        return new RowContent(isFailed, attempts + 1, fields);
    }
}
