package dev.leasehold.analysis;

import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.Tenure;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks on analyses by the caller's own owner, for code that takes, refreshes and releases them itself, perhaps in several
 * processes. The owner alone decides who may refresh and release. Nothing is refreshed automatically. Safe for use by many
 * threads.
 */
final class AnalysisLocks {
    /** How long a lock lasts unless the caller says otherwise. */
    static final int DEFAULT_TTL_SECONDS = 300;

    private static final Logger LOG = LoggerFactory.getLogger(AnalysisLocks.class);
    /** The record may change between the look and the change, but hardly that often. */
    private static final int TRIES = 5;

    private final Leases leases;
    private final AnalysisStore store;

    AnalysisLocks(Leases leases, AnalysisStore store) {
        this.leases = leases;
        this.store = store;
    }

    /**
     * Whether the lock was acquired.
     *
     * @param reason {@code already_finished} or {@code locked}; null if it was acquired
     */
    record Acquired(boolean acquired, @Nullable String reason) {}

    /**
     * Locks the analysis for this owner, unless it is finished or locked. The same owner who asks twice is refused, too.
     *
     * @param ttlSec how long the lock lasts unless it is refreshed; null for {@value #DEFAULT_TTL_SECONDS} s
     * @throws NoSuchElementException if there is no such analysis
     * @throws StoreException if the store does not answer
     */
    Acquired acquireAnalysisLock(String analysisId, String lockOwner, @Nullable Integer ttlSec) {
        AcquireRequest request =
                AcquireRequest.of(store.keyOf(analysisId), leases.newNonce(), Owner.of(lockOwner), ttl(ttlSec));
        AcquireResult result = acquire(request);
        if (result instanceof AcquireResult.Missing) {
            throw new NoSuchElementException("There is no analysis " + analysisId + ". Create it before it is locked.");
        }
        if (result instanceof AcquireResult.Granted) {
            return new Acquired(true, null);
        }
        return new Acquired(false, result instanceof AcquireResult.Settled ? "already_finished" : "locked");
    }

    /** Asks again, as the same call, if the store fails: the lock may have been granted. */
    private AcquireResult acquire(AcquireRequest request) {
        for (int tries = 1; ; tries++) {
            try {
                return store.ownerLocks().acquire(request);
            } catch (StoreException e) {
                if (tries == TRIES) {
                    throw e;
                }
            }
        }
    }

    /**
     * Clears the lock if this owner has it; a lock of another owner stays. If the store fails, a warning is written to the
     * log and nothing is thrown: the lock then ends with its time.
     */
    void releaseAnalysisLock(String analysisId, String lockOwner) {
        Key key = store.keyOf(analysisId);
        try {
            for (int tries = 0; tries < TRIES; tries++) {
                Optional<LeaseRef> lock = find(key, lockOwner);
                if (lock.isEmpty()
                        || store.ownerLocks().release(ReleaseRequest.of(lock.get())) == ReleaseResult.RELEASED) {
                    return;
                }
            }
            warnOfRelease(analysisId, lockOwner, "it changes too often.");
        } catch (StoreException e) {
            warnOfRelease(analysisId, lockOwner, e.getMessage());
        }
    }

    private void warnOfRelease(String analysisId, String lockOwner, @Nullable String why) {
        LOG.atWarn()
                .addKeyValue("analysisId", analysisId)
                .addKeyValue("owner", lockOwner)
                .log("Could not release the lock on {}: {} It expires by itself.", store.keyOf(analysisId), why);
    }

    /**
     * Makes the lock last for another TTL from now, and stamps its heartbeat.
     *
     * @param ttlSec null for {@value #DEFAULT_TTL_SECONDS} s
     * @throws LeaseException if another owner has the lock, or nobody: nothing was changed
     * @throws StoreException if the store does not answer
     */
    void refreshAnalysisLock(String analysisId, String lockOwner, @Nullable Integer ttlSec) {
        Key key = store.keyOf(analysisId);
        for (int tries = 0; tries < TRIES; tries++) {
            Optional<LeaseRef> lock = find(key, lockOwner);
            if (lock.isEmpty()) {
                throw new LeaseException(
                        LeaseException.Code.RENEWAL_FAILED,
                        key,
                        "\"" + lockOwner + "\" does not have the lock on " + key
                                + ". Stop its work, or acquire the lock again.",
                        null);
            }
            Optional<Renewal> renewal = store.ownerLocks().renew(lock.get(), ttl(ttlSec));
            if (renewal.isPresent() && renewal.get().isExtended()) {
                return;
            }
        }
        throw new StoreUnavailableException(
                "The lock on " + key + " could not be refreshed, because others change the record now. Try again.");
    }

    private static Duration ttl(@Nullable Integer ttlSec) {
        return Duration.ofSeconds(ttlSec == null ? DEFAULT_TTL_SECONDS : ttlSec);
    }

    /** The lock as it stands, if this owner has it. */
    private Optional<LeaseRef> find(Key key, String lockOwner) {
        return store.ownerLocks()
                .find(key)
                .map(LeaseSnapshot::record)
                .filter(record -> record.state() == State.HELD && isOf(record.tenure(), lockOwner))
                .map(record -> record.ref());
    }

    private static boolean isOf(@Nullable Tenure tenure, String lockOwner) {
        Owner owner = tenure == null ? null : tenure.owner();
        return owner != null && owner.label().equals(lockOwner);
    }
}
