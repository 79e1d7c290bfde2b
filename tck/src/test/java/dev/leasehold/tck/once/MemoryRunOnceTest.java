package dev.leasehold.tck.once;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.RunOnceContract;
import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Runs on the memory store")
class MemoryRunOnceTest extends RunOnceContract {
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
