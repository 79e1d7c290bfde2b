package dev.leasehold.lease;

import dev.leasehold.store.Fence;
import dev.leasehold.store.History;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.Tenure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Takes leases away from their holders.
 *
 * <p>The entry is written before the release, not after: a history that shows a release which then was not carried out
 * misleads nobody for long, since another entry says so; one that lacks a release which was is no audit.
 */
final class Forcing {
    private final LeaseStore store;
    private final History history;

    Forcing(LeaseStore store, History history) {
        this.store = store;
        this.history = history;
    }

    ForcedRelease release(Key key, Fence seen, String by, String reason) {
        if (by.isBlank() || reason.isBlank()) {
            throw new IllegalArgumentException(
                    "A forced release needs a reason, and the name of who is doing it: key " + key + ".");
        }
        Optional<LeaseSnapshot> found = store.find(key);
        if (found.isEmpty()) {
            return new ForcedRelease.NotHeld();
        }
        LeaseSnapshot before = found.get();
        Tenure holder = before.record().tenure();
        boolean isMeant = isHeld(before) && before.record().fence().equals(seen);
        if (holder == null || !isMeant) {
            return refusal(found);
        }
        HistoryNote note = HistoryNote.of(key, HistoryKind.FORCED)
                .withLease(holder.owner(), seen)
                .withReason(reason)
                .withActor(by);
        history.append(List.of(note));
        ReleaseRequest request =
                new ReleaseRequest(key, holder.nonce(), seen, ReleaseRequest.Ending.KEEP_ATTEMPTS, Duration.ZERO);
        if (store.release(request) == ReleaseResult.RELEASED) {
            return new ForcedRelease.Released(before);
        }
        takeBack(note);
        return refusal(store.find(key));
    }

    /** Whether it is somebody's, also if it has expired and nobody took it yet. */
    private static boolean isHeld(LeaseSnapshot found) {
        return found.record().state() == State.HELD;
    }

    private static ForcedRelease refusal(Optional<LeaseSnapshot> found) {
        return found.filter(Forcing::isHeld)
                .<ForcedRelease>map(ForcedRelease.Changed::new)
                .orElseGet(ForcedRelease.NotHeld::new);
    }

    private void takeBack(HistoryNote forced) {
        HistoryNote note = HistoryNote.of(forced.key(), HistoryKind.IN_VAIN)
                .withLease(forced.owner(), forced.fence())
                .withReason("The lease had ended or changed hands just before.")
                .withActor(forced.actor());
        try {
            history.append(List.of(note));
        } catch (StoreException e) {
            // The caller is told what matters: that nothing was released.
            Log.LOGGER.log(System.Logger.Level.WARNING, "A forced release in vain could not be noted", e);
        }
    }
}
