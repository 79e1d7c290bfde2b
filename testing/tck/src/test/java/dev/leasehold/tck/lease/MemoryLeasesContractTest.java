package dev.leasehold.tck.lease;

import dev.leasehold.tck.LeasesContract;
import dev.leasehold.tck.MemoryUnderTest;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Leases on the memory store")
class MemoryLeasesContractTest extends LeasesContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return MemoryUnderTest.inRealTime();
    }
}
