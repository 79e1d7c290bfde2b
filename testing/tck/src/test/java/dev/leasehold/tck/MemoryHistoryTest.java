package dev.leasehold.tck;

import org.junit.jupiter.api.DisplayName;

@DisplayName("History in memory")
class MemoryHistoryTest extends HistoryContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return MemoryUnderTest.inManualTime();
    }
}
