package dev.leasehold.tck.concurrency;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;

@DisplayName("The memory store")
class MemoryConcurrencyTest extends ConcurrencyContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return new StoreUnderTest() {
            @Override
            public StoreTraits traits() {
                return StoreTraits.inRealTime().notShared().notKept();
            }

            @Override
            public LeaseStore open() {
                return new MemoryLeaseStore();
            }

            @Override
            public void lose(Key key) {} // gone with the store object anyway
        };
    }
}
