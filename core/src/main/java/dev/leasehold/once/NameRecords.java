package dev.leasehold.once;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.NameClaim.Won.Standing;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How names stand in the store.
 *
 * <p>A claim is a lease on the name's key, held by the subject while pending and settled with the subject once confirmed.
 * An answer that stands in a record can be replaced, but two who replace it at once both succeed; only a grant has one
 * winner. So a confirmed name changes hands by another record, the <em>change</em>, whose key has the fence of the
 * claim and a number: whoever is granted and settles the next one has decided what follows. Its payload is the next
 * holder, or nothing if the name was given up. Whoever was paused on the way finds the change settled by somebody else,
 * and has changed nothing. The holder is the subject of the last settled change, or that of the claim if there is none.
 */
final class NameRecords {
    /** How long one may take to decide a change: two calls to the store. */
    private static final Duration TO_DECIDE = Duration.ofSeconds(5);

    /** How long changes are kept once their name was given up: nobody is paused for longer between two calls. */
    private static final Duration KEPT_AFTERWARDS = Duration.ofDays(7);

    private static final int TRIES = 3;

    private final Leases leases;
    private final LeaseStore store;

    NameRecords(Leases leases) {
        this.leases = leases;
        this.store = leases.store();
    }

    /**
     * Who has a name for good.
     *
     * @param key of the record that says so: the claim, or the last settled change
     * @param changes how many came after the claim
     * @param subject {@code null} if the name was given up, and its claim has still to be forgotten
     */
    private record Holder(Key key, int changes, @Nullable Subject subject) {
        static Holder of(Key key, int changes, @Nullable Payload payload) {
            return new Holder(key, changes, payload == null ? null : Subject.of(payload));
        }
    }

    NameClaim claim(Name name, Subject subject, Duration pending) {
        while (true) {
            AcquireRequest request = AcquireRequest.of(name.key(), leases.newNonce(), subject.asOwner(), pending)
                    .ignoringCooldown();
            AcquireResult result = asking(() -> store.acquire(request));
            Optional<NameClaim> claim = Optional.empty();
            if (result instanceof AcquireResult.Granted granted) {
                LeaseRef ref = new LeaseRef(request.key(), request.nonce(), granted.fence());
                return new NameClaim.Won(name, subject, ref, Standing.NEW, this);
            } else if (result instanceof AcquireResult.Held held) {
                claim = claimHeld(name, subject, held);
            } else if (result instanceof AcquireResult.Settled settled) {
                claim = claimSettled(name, subject, settled);
            } else if (!(result instanceof AcquireResult.Spent)) {
                throw new StoreException("The store " + store.name() + " cannot keep names: it says " + result
                        + " to a claim of " + name + ".");
            }
            if (claim.isPresent()) {
                return claim.get();
            }
        }
    }

    /** Empty if the claim ended meanwhile. */
    private Optional<NameClaim> claimHeld(Name name, Subject subject, AcquireResult.Held held) {
        Subject holder = subjectOf(name, held.owner());
        if (!holder.equals(subject)) {
            return Optional.of(new NameClaim.Taken(name, holder, true, held.remaining()));
        }
        return find(name.key())
                .filter(found -> found.record().fence().equals(held.fence()))
                .map(found -> found.record().ref())
                .filter(ref -> !asking(() -> store.renew(List.of(ref))).isEmpty())
                .map(ref -> new NameClaim.Won(name, subject, ref, Standing.PENDING, this));
    }

    /** Empty if the name was given up. */
    private Optional<NameClaim> claimSettled(Name name, Subject subject, AcquireResult.Settled settled) {
        Holder holder = holder(name, settled.fence(), settled.settlement().payload());
        Subject present = holder.subject();
        if (present == null) {
            forget(name, settled.fence());
            return Optional.empty();
        }
        if (!present.equals(subject)) {
            return Optional.of(new NameClaim.Taken(name, present, false, Micros.FOREVER));
        }
        return find(holder.key())
                .filter(LeaseSnapshot::isSettled)
                .map(found -> found.record().ref())
                .filter(ref -> holder.changes() > 0 || ref.fence().equals(settled.fence()))
                .map(ref -> new NameClaim.Won(name, subject, ref, Standing.CONFIRMED, this));
    }

    /** Who has it, if anybody has. */
    Optional<NameClaim.Taken> look(Name name) {
        LeaseSnapshot found = find(name.key()).orElse(null);
        if (found != null && found.isHeld()) {
            return Optional.of(new NameClaim.Taken(name, claimant(name, found.record()), true, found.remaining()));
        }
        Subject holder = found != null && found.isSettled()
                ? holder(name, found.record()).subject()
                : null;
        return Optional.ofNullable(holder).map(subject -> new NameClaim.Taken(name, subject, false, Micros.FOREVER));
    }

    NameChange release(Name name, Subject subject) {
        boolean isWithdrawn = find(name.key())
                .map(LeaseSnapshot::record)
                .filter(claim -> claim.state() == State.HELD)
                .filter(claim -> claimant(name, claim).equals(subject))
                .map(LeaseRecord::ref)
                .filter(this::withdraw)
                .isPresent();
        return isWithdrawn ? new NameChange.Changed() : change(name, subject, null);
    }

    /** Gives the name to another subject, or to nobody. */
    NameChange change(Name name, Subject from, @Nullable Subject to) {
        while (true) {
            LeaseSnapshot claim = find(name.key()).orElse(null);
            if (claim != null && claim.isHeld()) {
                Subject holder = claimant(name, claim.record());
                return holder.equals(from) ? new NameChange.Busy(claim.remaining()) : new NameChange.NotHeld(holder);
            }
            if (claim == null || !claim.isSettled()) {
                return new NameChange.NotHeld(null);
            }
            Holder holder = holder(name, claim.record());
            if (!from.equals(holder.subject())) {
                boolean isDone = to != null && to.equals(holder.subject());
                return isDone ? new NameChange.Changed() : new NameChange.NotHeld(holder.subject());
            }
            Key next = name.change(claim.record().fence(), holder.changes() + 1);
            Optional<NameChange> decided = decide(next, from, to);
            if (decided.isPresent()) {
                if (to == null && decided.get().isChanged()) {
                    forget(name, claim.record().fence());
                }
                return decided.get();
            }
        }
    }

    /** Empty if somebody else decided it. */
    private Optional<NameChange> decide(Key change, Subject from, @Nullable Subject to) {
        Duration ttl = store.shortestTtl().compareTo(TO_DECIDE) > 0 ? store.shortestTtl() : TO_DECIDE;
        AcquireRequest request = AcquireRequest.of(change, leases.newNonce(), from.asOwner(), ttl);
        AcquireResult result = asking(() -> store.acquire(request));
        if (result instanceof AcquireResult.Held held) {
            return Optional.of(new NameChange.Busy(held.remaining()));
        }
        if (!(result instanceof AcquireResult.Granted granted)) {
            return Optional.empty();
        }
        LeaseRef ref = new LeaseRef(request.key(), request.nonce(), granted.fence());
        Settlement next = Settlement.done(to == null ? null : to.asPayload(), Micros.FOREVER);
        return settle(SettleRequest.of(ref, next)).isSettled()
                ? Optional.of(new NameChange.Changed())
                : Optional.empty();
    }

    private Holder holder(Name name, LeaseRecord claim) {
        return holder(name, claim.fence(), claim.progress().payload());
    }

    /** Follows the changes from a confirmed claim to the last one. */
    private Holder holder(Name name, Fence claim, @Nullable Payload payload) {
        Holder holder = Holder.of(name.key(), 0, payload);
        for (LeaseRecord change : changes(name, claim)) {
            holder = Holder.of(
                    change.key(), holder.changes() + 1, change.progress().payload());
        }
        return holder;
    }

    private List<LeaseRecord> changes(Name name, Fence claim) {
        List<LeaseRecord> changes = new ArrayList<>();
        while (true) {
            LeaseSnapshot next = find(name.change(claim, changes.size() + 1)).orElse(null);
            if (next == null || !next.isSettled()) {
                return changes;
            }
            changes.add(next.record());
        }
    }

    /** Frees the key of a name that was given up. Whoever sees that it was may do it, because the fence is compared. */
    private void forget(Name name, Fence claim) {
        find(name.key())
                .map(found -> found.record().ref())
                .filter(ref -> ref.fence().equals(claim))
                .map(ref -> ReleaseRequest.of(ref).withEnding(ReleaseRequest.Ending.FORGET))
                .ifPresent(request -> asking(() -> store.release(request)));
        for (LeaseRecord change : changes(name, claim)) {
            LeaseRef ref = change.ref();
            if (ref != null) {
                Settlement fading = Settlement.done(change.progress().payload(), KEPT_AFTERWARDS);
                settle(SettleRequest.amending(ref, fading));
            }
        }
    }

    SettleResult settle(SettleRequest request) {
        return asking(() -> store.settle(request));
    }

    /** Ends a pending claim. */
    boolean withdraw(LeaseRef ref) {
        return asking(() -> store.release(ReleaseRequest.of(ref))) == ReleaseResult.RELEASED;
    }

    /**
     * Returns whether those claims that were pending when made are still their subject's: pending, now for the whole time
     * again, or confirmed since.
     */
    boolean renewAll(List<NameClaim.Won> claims) {
        List<NameClaim.Won> pending =
                claims.stream().filter(claim -> !claim.isConfirmed()).toList();
        List<LeaseRef> refs = pending.stream().map(NameClaim.Won::ref).toList();
        List<LeaseRef> renewed =
                asking(() -> store.renew(refs)).stream().map(Renewal::lease).toList();
        return pending.stream().allMatch(claim -> renewed.contains(claim.ref()) || isHeldBy(claim));
    }

    /** Returns whether this very claim is confirmed, and its name was not given to another subject since. */
    boolean isHeldBy(NameClaim.Won claim) {
        return find(claim.ref().key())
                .filter(found ->
                        found.isSettled() && claim.ref().equals(found.record().ref()))
                .filter(found -> isHolder(claim))
                .isPresent();
    }

    /** Returns whether the subject of a claim that is confirmed has the name still. */
    boolean isHolder(NameClaim.Won claim) {
        Name name = claim.name();
        // The changes of a claim are found by its fence. A claim of a name that changed hands has that of a change.
        Optional<Subject> holder = claim.ref().key().equals(name.key())
                ? Optional.ofNullable(
                        holder(name, claim.fence(), claim.subject().asPayload()).subject())
                : look(name).map(NameClaim.Taken::holder);
        return holder.filter(claim.subject()::equals).isPresent();
    }

    private Optional<LeaseSnapshot> find(Key key) {
        return asking(() -> store.find(key));
    }

    private Subject claimant(Name name, LeaseRecord pending) {
        return subjectOf(
                name, pending.tenure() == null ? null : pending.tenure().owner());
    }

    private Subject subjectOf(Name name, @Nullable Owner owner) {
        if (owner == null) {
            throw new StoreException("The store " + store.name() + " cannot keep names: it does not say who has " + name
                    + ". Names need a store with records of its own.");
        }
        return Subject.of(owner.label());
    }

    /** Asks, and asks again for want of an answer: every request here is harmless if it arrives twice. */
    private static <T> T asking(Supplier<T> call) {
        for (int tries = 1; ; tries++) {
            try {
                return call.get();
            } catch (StoreUnavailableException e) {
                if (tries == TRIES) {
                    throw e;
                }
            }
        }
    }
}
