package dev.leasehold.firestore;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentSnapshot;
import dev.leasehold.store.Uninterrupted;
import org.jspecify.annotations.Nullable;

/** Helps the user's own transactions to check a lease. */
final class Fencing {
    private Fencing() {}

    /** Throws what the future failed with, unwrapped: the client repeats a transaction only if it sees its own exception. */
    static void await(ApiFuture<Void> future) {
        Uninterrupted.<Void, RuntimeException>resultOf(future);
    }

    /** The client looks the document up among those it has read, and finds none that belongs to another client. */
    static DocumentSnapshot ofSameClient(@Nullable DocumentSnapshot seen) {
        if (seen == null) {
            throw new IllegalArgumentException(
                    "The transaction belongs to another Firestore client than the store. Open the"
                            + " store with FirestoreLeaseStore.builder(firestore) on the client whose transactions it guards.");
        }
        return seen;
    }
}
