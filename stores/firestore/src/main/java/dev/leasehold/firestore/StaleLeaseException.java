package dev.leasehold.firestore;

import dev.leasehold.store.LeaseRef;
import java.io.Serial;

/** The lease behind a transaction is another holder's, or nobody's, by now. */
public final class StaleLeaseException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    StaleLeaseException(LeaseRef lease) {
        super("The lease with fence " + lease.fence() + " on " + lease.key()
                + " is no longer current: the transaction writes nothing. Acquire a new lease to go on.");
    }
}
