package dev.leasehold.jdbc;

import dev.leasehold.store.LeaseRef;
import java.io.Serial;

/** The lease a transaction was fenced with is no longer current. The transaction must be rolled back. */
public final class StaleLeaseException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    StaleLeaseException(LeaseRef lease) {
        super("The lease with fence " + lease.fence() + " on " + lease.key()
                + " is no longer current: roll back, and acquire a new one to go on.");
    }
}
