package dev.leasehold.tck.interleaving;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseStore;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store under test with its rivals. The contract opens several and runs cells in all of them at once. They may share
 * one database or have one each.
 */
public interface Arena extends AutoCloseable {
    /**
     * The store under test. If {@link #batches} says so, it has a single connection for its verbs, so that calls which
     * find it busy go together.
     */
    LeaseStore store();

    /** Opens one more session of a rival. */
    Rival rival() throws Exception;

    /** Whether calls for different keys go in one statement when the store is busy. */
    default boolean batches() {
        return false;
    }

    /** Whether acquire makes a record that is missing. If not, it answers {@link AcquireResult.Missing}. */
    default boolean makesRecords() {
        return true;
    }

    /** What the store keeps of a record. Stores on rows of the user's keep less than the rules ask for, or nothing. */
    default @Nullable LeaseRecord kept(LeaseRecord record) {
        return record;
    }

    /** What else of a record and an answer is compared. */
    default Set<Detail> details() {
        return EnumSet.allOf(Detail.class);
    }

    /** What a store on rows of the user's may have no place for. */
    enum Detail {
        /** Fences, also that of a predecessor. */
        FENCE,
        TTL,
        ATTEMPTS
    }

    /** How long to wait for a call that neither answers nor is seen to wait, before the rival goes on. */
    default Duration patience() {
        return Duration.ofMillis(250);
    }

    @Override
    void close();
}
