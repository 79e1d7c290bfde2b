package dev.leasehold.analysis;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import java.util.Optional;

/** All that depends on where analyses are kept. Safe for use by many threads. */
interface AnalysisStore extends AutoCloseable {
    /** Where analyses are kept, for the first line of the log; without any password. */
    String description();

    /** Leases on the analyses themselves. Reads them, too. */
    LeaseStore leases();

    /** The same, where the owner is kept exactly as the caller names it. */
    LeaseStore ownerLocks();

    /** Names the lease on an analysis. */
    Key keyOf(String id);

    /** Reads an analysis. */
    default Optional<Analysis> find(String id) {
        return leases().find(keyOf(id)).map(LeaseSnapshot::fields).map(Analysis::read);
    }

    /** Writes a new analysis that is pending. */
    void create(String id, String text);

    @Override
    void close();
}
