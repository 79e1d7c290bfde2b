package dev.leasehold.lease;

/** What became of a lease that was given back. */
public enum ReleaseOutcome {
    /** The key is free for the next. */
    RELEASED,
    /** It was not ours any more: somebody else may have worked at the same time. */
    LOST,
    /** The store did not answer. It is asked again in the background; the TTL ends the lease in any case. */
    UNKNOWN
}
