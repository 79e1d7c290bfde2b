package dev.leasehold.analysis;

import dev.leasehold.store.LeaseSnapshot;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** Makes analyses and reads them. */
final class Analyses {
    private final AnalysisStore store;

    Analyses(AnalysisStore store) {
        this.store = store;
    }

    /** Keeps a text that is to be analysed, and gives the new analysis's id. */
    String create(String text) {
        String id = UUID.randomUUID().toString();
        store.create(id, text);
        return id;
    }

    Optional<Analysis> find(String id) {
        return store.leases()
                .find(store.keyOf(id))
                .map(LeaseSnapshot::fields)
                .map(Objects::requireNonNull)
                .map(Analysis::read);
    }

    /** Asks the store something, and throws if it does not answer. */
    void checkStore() {
        store.leases().find(store.keyOf("readyz"));
    }
}
