package dev.leasehold.lease;

import dev.leasehold.store.LeaseStore;

/**
 * Something asked of the store, and what its answer means. Answers may come late, twice or never.
 *
 * @param <T> what the store answers
 */
abstract class Ask<T> {
    /** Both clocks from before it was sent: whatever the answer grants is counted from here. */
    final Moment sent;

    Ask(Moment sent) {
        this.sent = sent;
    }

    /** The call or lease on whose behalf it is asked: a thread that waits for that one may do the asking itself. */
    abstract Object subject();

    abstract T perform(LeaseStore store);

    abstract void answered(T result, Moment now);

    abstract void failed(Throwable cause, Moment now);
}
