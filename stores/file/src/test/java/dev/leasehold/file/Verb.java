package dev.leasehold.file;

import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** A change that a process may not live to finish. */
enum Verb {
    OPEN,
    ACQUIRE,
    TAKE_OVER,
    RENEW,
    RELEASE,
    PURGE;

    /** Whether a lease of an earlier process is there, expired, when this begins. */
    boolean findsAnExpiredLease() {
        return this == TAKE_OVER || this == PURGE;
    }

    /**
     * Does it.
     *
     * @param arm what to call when all is prepared
     */
    void run(Supplier<LeaseStore> opener, Runnable arm) {
        if (this == OPEN) {
            arm.run();
        }
        LeaseStore store = opener.get();
        LeaseRef lease = this == RENEW || this == RELEASE ? Requests.take(store) : null;
        if (this != OPEN) {
            arm.run();
        }
        switch (this) {
            case OPEN -> {}
            case ACQUIRE, TAKE_OVER -> Requests.take(store);
            case RENEW -> store.renew(List.of(lease));
            case RELEASE -> store.release(ReleaseRequest.of(lease));
            case PURGE -> store.purge(Duration.ZERO, 1);
        }
    }
}
