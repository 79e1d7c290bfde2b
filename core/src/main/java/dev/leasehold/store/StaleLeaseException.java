package dev.leasehold.store;

/** The lease that a transaction was fenced with is no longer current. The transaction must be rolled back. */
public final class StaleLeaseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StaleLeaseException(LeaseRef lease) {
        super("The lease with fence " + lease.fence() + " on " + lease.key()
                + " is no longer current: roll back, and acquire a new one to go on.");
    }
}
