package dev.leasehold.tck.once;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.ManualTime;
import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import dev.leasehold.tck.UniqueNamesContract;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Unique names on the memory store")
class MemoryUniqueNamesTest extends UniqueNamesContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        ManualTime time = new ManualTime();
        return new StoreUnderTest() {
            @Override
            public StoreTraits traits() {
                return StoreTraits.inManualTime().tellingWakeUps().notShared().notKept();
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
        };
    }
}
