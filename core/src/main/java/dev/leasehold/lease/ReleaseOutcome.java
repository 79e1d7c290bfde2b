package dev.leasehold.lease;

/** What became of a lease that was given back. */
public enum ReleaseOutcome {
    /** The key is free for the next. */
    RELEASED,
    /** The lease was lost before the release. Another holder may have worked at the same time. */
    LOST,
    /**
     * The store did not confirm the release. The client tries again in the background, and the lease expires by itself.
     * Also returned if the record has another holder now and an unanswered try may have released this lease first.
     */
    UNKNOWN
}
