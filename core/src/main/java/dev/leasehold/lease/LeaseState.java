package dev.leasehold.lease;

/** How a lease stands, by this process's own clock. The last three are final. */
public enum LeaseState {
    /** Valid. */
    HELD,
    /** Valid still, but renewals are late: the work should come to an end if it can. */
    AT_RISK,
    /** Not valid until a renewal says otherwise: this process's clock stood still for a while. */
    SUSPECT,
    /** No longer ours, or not known to be. Never comes back. */
    LOST,
    /** Given back, or being given back. */
    RELEASED,
    /** Ended with an answer that is kept. */
    SETTLED;

    public boolean isFinal() {
        return this == LOST || this == RELEASED || this == SETTLED;
    }
}
