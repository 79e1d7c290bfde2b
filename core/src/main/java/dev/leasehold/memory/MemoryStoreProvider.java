package dev.leasehold.memory;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreProvider;
import dev.leasehold.store.StoreUrl;
import java.util.Set;

/** {@code memory:}, a new store at each opening: for trying things out. Nobody else can see it. */
public final class MemoryStoreProvider implements StoreProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("memory");
    }

    @Override
    public LeaseStore open(StoreUrl url) {
        return new MemoryLeaseStore();
    }
}
