package dev.leasehold.store;

/** What a store answers to {@link LeaseStore#settle}. */
public enum SettleResult {
    /** Recorded; also the answer to the same request asked again, and to a checkpoint that a newer one has replaced. */
    SETTLED,
    /** Not recorded, nothing changed: another holder has the record, or another answer stands there. */
    SUPERSEDED
}
