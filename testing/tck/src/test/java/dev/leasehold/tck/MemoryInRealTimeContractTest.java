package dev.leasehold.tck;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

/** For stores whose clock no test can move: the contract must get along by waiting. */
@Tag("slow")
@DisplayName("The memory store, in real time")
class MemoryInRealTimeContractTest extends LeaseStoreContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return MemoryUnderTest.inRealTime();
    }
}
