package dev.leasehold.store;

import java.util.Optional;
import java.util.Set;

/**
 * Opens stores by URL, for programs that are told their store by a setting. Found by {@link java.util.ServiceLoader}; it
 * has a public constructor without parameters, which does nothing.
 */
public interface StoreProvider {
    /** The schemes of the URLs it opens, in lower case. */
    Set<String> schemes();

    /**
     * Opens the store.
     *
     * @throws StoreUnavailableException if it cannot be reached now
     * @throws StoreException if it cannot be used as it is, with what to do about it
     */
    LeaseStore open(StoreUrl url);

    /** The statements that {@link #createSchema} would run, for people who run them by other means; empty if none. */
    default Optional<String> schema(StoreUrl url) {
        return Optional.empty();
    }

    /** Makes what the store needs, as far as it is not there. Many may do so at once. */
    default void createSchema(StoreUrl url) {}
}
