package dev.leasehold.once;

import dev.leasehold.lease.Leases;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Names that only one can have, such as titles, user names and slugs.
 *
 * <p>Claim the name, make what bears it, confirm. Whoever loses learns it before anything was made, and from whom. If the
 * process dies in between, the claim lapses after its pending time and the name is free again; if it comes back before
 * that and claims as the same subject, it wins again. A confirmed name never lapses.
 *
 * <p>On a store that frees what a dead process held, as the directory store does unless its leases are to outlive
 * processes, such a claim lapses at once.
 *
 * <p>All calls are made on the caller's thread and ask the store three times if need be. When it does not answer, they
 * throw {@link dev.leasehold.store.StoreUnavailableException}, and it is unknown whether what was asked happened: asking
 * again as the same subject is safe. Safe for use by many threads.
 */
public final class UniqueNames {
    private final LeaseStore store;
    private final NameRecords records;

    private UniqueNames(Leases leases) {
        this.store = leases.store();
        this.records = new NameRecords(leases);
    }

    public static UniqueNames on(Leases leases) {
        return new UniqueNames(leases);
    }

    /**
     * Claims a name.
     *
     * @param pending how long the name stays the subject's without being confirmed: longer than it takes to make what
     *     bears it, and no longer than a crash may block the name. Claiming again gives it as long as the first claim
     */
    public NameClaim claim(Name name, Subject subject, Duration pending) {
        checkPending(pending);
        return records.claim(name, subject, pending);
    }

    /**
     * Claims all of these names, or none: if one is taken, what this call got of the others is given back. Names are
     * claimed in the order of their keys, so of two calls that want some of the same names one gets on.
     */
    public NameClaims claimAll(Collection<Name> names, Subject subject, Duration pending) {
        checkPending(pending);
        if (names.isEmpty()) {
            throw new IllegalArgumentException("There must be at least one name to claim: subject " + subject + ".");
        }
        List<NameClaim.Won> won = new ArrayList<>();
        try {
            for (Name name : names.stream()
                    .distinct()
                    .sorted(Comparator.comparing(Name::key))
                    .toList()) {
                NameClaim claim = records.claim(name, subject, pending);
                if (claim instanceof NameClaim.Taken taken) {
                    giveBack(won);
                    return new NameClaims.OneTaken(taken);
                }
                won.add((NameClaim.Won) claim);
            }
        } catch (RuntimeException e) {
            giveBackAfter(e, won);
            throw e;
        }
        return new NameClaims.AllWon(won, records);
    }

    /** Only what this call was granted: an earlier claim of the subject's may belong to work that goes on. */
    private static void giveBack(List<NameClaim.Won> won) {
        won.stream().filter(NameClaim.Won::isNew).forEach(NameClaim.Won::abandon);
    }

    private static void giveBackAfter(RuntimeException failure, List<NameClaim.Won> won) {
        try {
            giveBack(won);
        } catch (RuntimeException e) {
            failure.addSuppressed(e); // What is left lapses.
        }
    }

    /**
     * Claims a new name for a subject that has another. Confirming the claim frees the old name, and not before; until
     * then the subject has both. If the two are the same name under the policy, nothing changes hands.
     */
    public NameClaim rename(Name old, Name name, Subject subject, Duration pending) {
        NameClaim claim = claim(name, subject, pending);
        return claim instanceof NameClaim.Won won && !name.equals(old)
                ? won.thenDoing(() -> free(old, subject))
                : claim;
    }

    private void free(Name old, Subject subject) {
        if (records.release(old, subject) instanceof NameChange.Busy busy) {
            throw new StoreUnavailableException(
                    "The old name is not free yet, because another change of it is under way" + " for at most "
                            + busy.remaining() + ": " + old + ". Confirm the new name again.");
        }
    }

    /**
     * Gives a confirmed name to another subject, in one step: at no moment is it free, or both's. Each transfer adds a
     * record, and a read to whoever asks for the name, until the name is released.
     */
    public NameChange transfer(Name name, Subject from, Subject to) {
        if (from.equals(to)) {
            throw new IllegalArgumentException(
                    "A name is transferred to another subject, not from " + from + " to itself: " + name + ".");
        }
        return records.change(name, from, to);
    }

    /** Frees a name, confirmed or pending, if it is this subject's. */
    public NameChange release(Name name, Subject subject) {
        return records.release(name, subject);
    }

    /** Who has the name, if anybody has. Claims nothing, so it may be different the next moment. */
    public Optional<NameClaim.Taken> find(Name name) {
        return records.look(name);
    }

    private void checkPending(Duration pending) {
        Duration shortest = store.shortestTtl();
        if (pending.compareTo(shortest) < 0 || pending.compareTo(AcquireRequest.MAX_TTL) > 0) {
            throw new IllegalArgumentException("The pending time of a claim must be between " + shortest.toMillis()
                    + " ms and " + AcquireRequest.MAX_TTL.toDays() + " days on " + store.name() + ", not " + pending
                    + ".");
        }
    }
}
