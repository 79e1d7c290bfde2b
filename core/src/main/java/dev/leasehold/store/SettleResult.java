package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/**
 * The answer of a store to {@link LeaseStore#settle}.
 *
 * @param fields the user's own record as the settlement left it; null for Leasehold's own records
 */
public record SettleResult(Kind kind, @Nullable Fields fields) {
    /** Whether the settlement is in the record. */
    public enum Kind {
        /** Recorded; also the answer to the same request asked again, and to a checkpoint that a newer one has replaced. */
        SETTLED,
        /** Not recorded, nothing changed: another holder has the record, or another answer stands there. */
        SUPERSEDED,
        /**
         * The record is finished, and it cannot tell by which holder. Only on a user's own record without a mark of its
         * holder.
         */
        UNKNOWN
    }

    public static final SettleResult SETTLED = new SettleResult(Kind.SETTLED, null);
    public static final SettleResult SUPERSEDED = new SettleResult(Kind.SUPERSEDED, null);
    public static final SettleResult UNKNOWN = new SettleResult(Kind.UNKNOWN, null);

    /** Recorded in a user's own record, which now has these fields. */
    public static SettleResult settled(Fields fields) {
        return new SettleResult(Kind.SETTLED, fields);
    }

    public boolean isSettled() {
        return kind == Kind.SETTLED;
    }

    @Override
    public String toString() {
        return fields == null ? kind.toString() : kind + " with " + fields;
    }
}
