package dev.leasehold.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Keeps one record per key and changes it by six verbs, each atomic.
 *
 * <p>What every store promises, and the contract kit checks:
 *
 * <ul>
 *   <li>The store's own clock decides expiry, read at the moment of the decision. A lease is live while
 *       {@code now < expiry}.
 *   <li>Every grant of a key has a larger fence than every earlier one, whatever was released, purged or restarted.
 *   <li>Asking again with the same nonce gives the same lease; asking with a released nonce gives nothing.
 *   <li>Renew, release and settle act only for the nonce and fence that the record has; otherwise nothing changes.
 *   <li>A checkpoint never replaces one of the same lease with a larger number, however late its request arrives.
 *   <li>No verb joins a transaction of the caller's.
 * </ul>
 *
 * <p>Contention is a result. Exceptions are for the store itself: {@link StoreUnavailableException} when the answer is
 * unknown and asking again may help, {@link StoreException} when it will not. Stores are safe for use by many threads.
 */
public interface LeaseStore extends AutoCloseable {
    /** A short name for people and events, such as {@code memory} or {@code postgresql}. */
    String name();

    /** Grants the lease, or says why not. A caller that waits is put in line in the same step. */
    AcquireResult acquire(AcquireRequest request);

    /**
     * Extends every lease that is still its holder's by the TTL that its record has: the one it was acquired with, or was
     * last renewed with. A lease whose record another transaction has locked is answered with
     * {@link Renewal#notExtended}: it keeps the life it has. Leases missing from the answer are lost. An expired lease that
     * nobody took is still its holder's.
     */
    List<Renewal> renew(List<LeaseRef> leases);

    /**
     * Makes one lease live for another TTL from now, longer or shorter. The record keeps this TTL, and later renewals
     * extend the lease by it. The TTL of the request that is carried out last counts, so a holder that has asked for
     * several TTLs learns which one counts from the answer to its next renewal. A locked record and a lost lease are answered
     * as above.
     *
     * @return empty if the lease is no longer its holder's
     * @throws StoreUnsupportedException if the records are the user's own and their TTL is fixed
     */
    Optional<Renewal> renew(LeaseRef lease, Duration ttl);

    /**
     * Ends a lease and hands it to the next in line, or takes a caller out of line. A run whose attempts are kept is not
     * handed to callers in line with another fingerprint: they lose their places and are told to look again.
     */
    ReleaseResult release(ReleaseRequest request);

    /** Ends a run with its answer, or keeps a checkpoint of it. Callers in line learn of an answer. */
    SettleResult settle(SettleRequest request);

    Optional<LeaseSnapshot> find(Key key);

    Page list(ListRequest request);

    /**
     * Drops records whose state has been over for at least this long, at most so many, and never one whose fence is
     * younger. Fences go on growing without them unless the store's clock is set back by more than this. A lease that
     * expired is forgotten with its record, so a caller's lock delay must not be longer than this.
     *
     * @return how many were dropped
     */
    int purge(Duration retained, int limit);

    /**
     * Starts telling the listener about leases handed over to callers of this store object. The listener must return
     * quickly.
     *
     * @return what ends it; empty if the store cannot tell, or not yet: callers poll more often then, and ask again with
     *     each poll, so a store that has failed once must answer soon
     */
    default Optional<Subscription> onWakeUp(Consumer<WakeUp> listener) {
        return Optional.empty();
    }

    /** What happened to the keys of this store, if it keeps that. */
    default Optional<History> history() {
        return Optional.empty();
    }

    /** The abilities of the records if they are the user's own; empty for Leasehold's own records. */
    default Optional<RecordTraits> recordTraits() {
        return Optional.empty();
    }

    /** The shortest TTL that makes sense here. Shorter ones are refused by whoever asks. */
    default Duration shortestTtl() {
        return Duration.ofSeconds(1);
    }

    /**
     * The longest that a call may take before it returns or throws. A store that enforces such a limit is called on
     * the caller's own thread, which saves a hand-over between threads; others are called on a thread of ours.
     */
    default Duration longestCall() {
        return Micros.FOREVER;
    }

    /** Gives up connections and threads. Leases live on in the store. */
    @Override
    void close();
}
