package dev.leasehold.faults;

import dev.leasehold.store.LeaseStore;

/**
 * A bug planted in a worker, to see that it is found. Named to the worker by its class, which has a constructor without
 * parameters.
 */
interface Sabotage {
    /**
     * The store that the client is given in place of this one.
     *
     * @param url where the worker's store is found
     */
    LeaseStore store(LeaseStore healthy, String url);
}
