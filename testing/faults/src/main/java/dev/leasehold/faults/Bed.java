package dev.leasehold.faults;

import dev.leasehold.servers.RedisServer;
import dev.leasehold.servers.Server;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import dev.leasehold.tck.proxy.FaultProxy;
import java.time.Duration;
import java.util.Optional;

/** A store and the power over it. */
interface Bed extends AutoCloseable {
    StoreKind kind();

    /**
     * Where a worker finds it. No fault of the network strikes the last ones of a crew, so that somebody is there to take
     * what the others lose.
     */
    default String url(int worker) {
        return directUrl();
    }

    /** Where it is found past all faults of the network. */
    String directUrl();

    /** What stands between the workers and the store. */
    default Optional<FaultProxy> proxy() {
        return Optional.empty();
    }

    /** The store's own process. */
    default Optional<Server> server() {
        return Optional.empty();
    }

    /** The same, if it is Redis. */
    default Optional<RedisServer> redis() {
        return Optional.empty();
    }

    /** The records, past the store. */
    Records records();

    /** The store's clock, where it can be moved. */
    default Optional<StoreClock> clock() {
        return Optional.empty();
    }

    /** The records, where they are in a table. */
    default Optional<SqlRecords> table() {
        return Optional.empty();
    }

    /** Connections of others that take up room. */
    default Optional<Crowd> crowd() {
        return Optional.empty();
    }

    /** What the store has now, as a crash would leave it. */
    Backup backUp();

    /** A state of the store that can be put back: all later changes are lost. */
    interface Backup {
        void putBack();
    }

    /** What somebody can do to records who does not ask the store. */
    interface Records {
        /** Deletes all, and says how many there were. */
        int delete() throws Exception;
    }

    /** What a store takes for the time. */
    interface StoreClock {
        /** Sets the clock forward, or back. */
        FaultCase.Evidence move(Duration by) throws Exception;
    }

    default LeaseStore openDirect() {
        return Stores.open(directUrl());
    }

    default void createSchema() {
        StoreUrl url = StoreUrl.of(directUrl());
        Stores.provider(url).createSchema(url);
    }

    /** Ends what runs. */
    @Override
    void close();
}
