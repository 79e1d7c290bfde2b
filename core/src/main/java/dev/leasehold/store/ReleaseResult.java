package dev.leasehold.store;

/** What a store answers to {@link LeaseStore#release}. */
public enum ReleaseResult {
    /** Ended by this request, or by the same one before: asking again is harmless. */
    RELEASED,
    /** Nothing changed but for a place in line given up: this nonce and fence do not hold the record. */
    NOT_HELD
}
