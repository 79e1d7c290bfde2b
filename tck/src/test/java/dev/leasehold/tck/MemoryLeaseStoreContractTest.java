package dev.leasehold.tck;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;

@DisplayName("The memory store, in manual time")
class MemoryLeaseStoreContractTest extends LeaseStoreContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        ManualTime time = new ManualTime();
        return new StoreUnderTest() {
            @Override
            public StoreTraits traits() {
                return StoreTraits.inManualTime()
                        .tellingWakeUps()
                        .notShared()
                        .notKept()
                        .withOperations(100_000);
            }

            @Override
            public LeaseStore open() {
                return new MemoryLeaseStore(time.storeClock());
            }

            @Override
            public void lose(Key key) {}

            @Override
            public void elapse(Duration duration) {
                time.advance(duration);
            }

            @Override
            public void setBack(Duration by) {
                time.shiftStoreClock(by.negated());
            }
        };
    }
}
