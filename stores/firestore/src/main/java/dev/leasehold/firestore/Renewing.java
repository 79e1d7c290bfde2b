package dev.leasehold.firestore;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldMask;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Extends many leases by two requests: one reads their documents, one writes all of them on condition that each is what
 * was read. If one is not, nothing is written, and the rest is tried again; in the end each is written by itself, so that
 * one that is locked or edited without pause does not keep the others from being extended.
 */
final class Renewing {
    private static final int MOST_AT_ONCE = 100;
    private static final int ROUNDS_TOGETHER = 2;

    /** What becomes of one lease. */
    interface Judge {
        /** Empty if the document is no longer the lease's. */
        Optional<Extension> judge(DocumentSnapshot seen, LeaseRef lease);
    }

    /**
     * A lease that is still its holder's.
     *
     * @param left how long it lives if it is not extended
     */
    record Extension(Renewal renewal, Duration left, Map<FieldPath, Object> written) {}

    private record Seen(DocumentSnapshot document, Extension extension) {}

    private final Database database;
    private final Function<LeaseRef, DocumentReference> place;
    private final FieldMask mask;

    /** @param mask the fields that are read */
    Renewing(Database database, Function<LeaseRef, DocumentReference> place, FieldMask mask) {
        this.database = database;
        this.place = place;
        this.mask = mask;
    }

    List<Renewal> renew(List<LeaseRef> leases, Judge judge) {
        List<LeaseRef> distinct = leases.stream().distinct().toList();
        List<Renewal> renewals = new ArrayList<>();
        for (int i = 0; i < distinct.size(); i += MOST_AT_ONCE) {
            List<LeaseRef> some = distinct.subList(i, Math.min(distinct.size(), i + MOST_AT_ONCE));
            renewals.addAll(renewSome(some, judge));
        }
        return renewals;
    }

    private List<Renewal> renewSome(List<LeaseRef> leases, Judge judge) {
        Call call = database.call();
        List<Renewal> renewals = new ArrayList<>();
        List<LeaseRef> left = leases;
        for (int round = 0; !left.isEmpty(); round++) {
            Map<LeaseRef, Seen> ours = look(call, left, judge);
            if (round > 0 && call.isNearlyOver()) {
                ours.forEach((lease, seen) ->
                        renewals.add(Renewal.notExtended(lease, seen.extension().left())));
                return renewals;
            }
            List<List<LeaseRef>> writes = round < ROUNDS_TOGETHER
                    ? List.of(List.copyOf(ours.keySet()))
                    : ours.keySet().stream().map(List::of).toList();
            left = ours.isEmpty() ? List.of() : write(call, writes, ours, renewals);
        }
        return renewals;
    }

    /** Writes each group at once, and all groups at the same time; returns the leases that were not written, or may not. */
    private List<LeaseRef> write(
            Call call, List<List<LeaseRef>> groups, Map<LeaseRef, Seen> ours, List<Renewal> renewals) {
        List<ApiFuture<List<WriteResult>>> answers = groups.stream()
                .map(group -> {
                    WriteBatch batch = database.firestore.batch();
                    for (LeaseRef lease : group) {
                        Seen seen = Objects.requireNonNull(ours.get(lease));
                        Changing.update(batch, seen.document(), seen.extension().written());
                    }
                    return call.send(batch::commit);
                })
                .toList();
        long end = call.attemptEnd();
        Trouble last = null;
        List<LeaseRef> left = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            try {
                call.await(answers.get(i), end, true);
                groups.get(i)
                        .forEach(lease -> renewals.add(Objects.requireNonNull(ours.get(lease))
                                .extension()
                                .renewal()));
            } catch (Trouble trouble) {
                left.addAll(groups.get(i));
                last = trouble;
            }
        }
        if (last != null && !call.isNearlyOver()) {
            call.pause(last);
        }
        return left;
    }

    private Map<LeaseRef, Seen> look(Call call, List<LeaseRef> leases, Judge judge) {
        DocumentReference[] references = leases.stream().map(place).distinct().toArray(DocumentReference[]::new);
        Map<DocumentReference, DocumentSnapshot> documents = new LinkedHashMap<>();
        call.read(() -> database.firestore.getAll(references, mask))
                .forEach(document -> documents.put(document.getReference(), document));
        Map<LeaseRef, Seen> ours = new LinkedHashMap<>();
        for (LeaseRef lease : leases) {
            DocumentSnapshot document = Objects.requireNonNull(documents.get(place.apply(lease)));
            judge.judge(document, lease).ifPresent(extension -> ours.put(lease, new Seen(document, extension)));
        }
        return ours;
    }
}
