package dev.leasehold.store;

import java.time.Duration;

/** What a store tells a caller that stands in line, without being asked. Losing one costs time, never safety. */
public sealed interface WakeUp {
    Key key();

    /** Whose call it is for. */
    Nonce nonce();

    /**
     * The lease was handed over to the caller, for a short while until it renews.
     *
     * @param waited how long after the caller's place was taken the lease was granted, by the store's clock. That clock
     *     may have been set meanwhile, so no deadline is counted from it.
     * @param remaining how long the lease lived from its grant. The caller counts it from its last request that was
     *     refused because of an earlier holder.
     */
    record HandedOver(LeaseRef lease, Duration waited, Duration remaining, int attempt) implements WakeUp {
        @Override
        public Key key() {
            return lease.key();
        }

        @Override
        public Nonce nonce() {
            return lease.nonce();
        }
    }

    /** Something changed for the caller; it should ask again now rather than at its next poll. */
    record LookAgain(Key key, Nonce nonce) implements WakeUp {}
}
