package dev.leasehold.tck;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

/** For stores whose clock no test can move: the contract must get along by waiting. */
@Tag("slow")
@DisplayName("The memory store, in real time")
class MemoryInRealTimeContractTest extends LeaseStoreContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return new StoreUnderTest() {
            @Override
            public StoreTraits traits() {
                return StoreTraits.inRealTime().tellingWakeUps().notShared().notKept();
            }

            @Override
            public LeaseStore open() {
                return new MemoryLeaseStore();
            }

            @Override
            public void lose(Key key) {}
        };
    }
}
