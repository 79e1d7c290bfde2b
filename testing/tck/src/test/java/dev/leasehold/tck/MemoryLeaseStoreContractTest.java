package dev.leasehold.tck;

import org.junit.jupiter.api.DisplayName;

@DisplayName("The memory store, in manual time")
class MemoryLeaseStoreContractTest extends LeaseStoreContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return MemoryUnderTest.inManualTime();
    }
}
