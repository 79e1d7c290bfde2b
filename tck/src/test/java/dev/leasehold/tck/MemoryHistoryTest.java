package dev.leasehold.tck;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import org.junit.jupiter.api.DisplayName;

@DisplayName("History in memory")
class MemoryHistoryTest extends HistoryContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        ManualTime time = new ManualTime();
        return new StoreUnderTest() {
            @Override
            public StoreTraits traits() {
                return StoreTraits.inManualTime().notShared().notKept();
            }

            @Override
            public LeaseStore open() {
                return new MemoryLeaseStore(time.storeClock());
            }

            @Override
            public void lose(Key key) {}
        };
    }
}
