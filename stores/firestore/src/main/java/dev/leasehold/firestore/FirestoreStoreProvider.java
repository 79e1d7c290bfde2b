package dev.leasehold.firestore;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreProvider;
import dev.leasehold.store.StoreUrl;
import java.util.Set;

/**
 * Firestore by URL.
 *
 * <pre>
 * firestore:                                        the project of the environment, its default database
 * firestore:my-project
 * firestore:my-project/my-database?collection=locks
 * </pre>
 *
 * <p>The collection is {@code leasehold} unless given. Credentials are Google's default ones:
 * {@code GOOGLE_APPLICATION_CREDENTIALS}, {@code gcloud auth application-default login}, or the machine's account. If
 * {@code FIRESTORE_EMULATOR_HOST} is set, that server is called instead, without credentials.
 */
public final class FirestoreStoreProvider implements StoreProvider {
    @Override
    public Set<String> schemes() {
        return Set.of(FirestoreUrl.SCHEME);
    }

    @Override
    public LeaseStore open(StoreUrl url) {
        return FirestoreUrl.of(url).builder().open();
    }
}
