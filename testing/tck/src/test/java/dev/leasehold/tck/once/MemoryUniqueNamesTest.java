package dev.leasehold.tck.once;

import dev.leasehold.tck.MemoryUnderTest;
import dev.leasehold.tck.StoreUnderTest;
import dev.leasehold.tck.UniqueNamesContract;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Unique names on the memory store")
class MemoryUniqueNamesTest extends UniqueNamesContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return MemoryUnderTest.inManualTime();
    }
}
