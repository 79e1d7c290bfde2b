package dev.leasehold.tck.lease;

import dev.leasehold.store.History;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.ForwardingStore;
import java.util.Optional;

/** A store that keeps its history elsewhere, or none. */
final class OtherHistory extends ForwardingStore {
    private final Optional<History> history;

    OtherHistory(LeaseStore store, Optional<History> history) {
        super(store);
        this.history = history;
    }

    static OtherHistory none(LeaseStore store) {
        return new OtherHistory(store, Optional.empty());
    }

    @Override
    public Optional<History> history() {
        return history;
    }
}
