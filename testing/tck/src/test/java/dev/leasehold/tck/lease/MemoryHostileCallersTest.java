package dev.leasehold.tck.lease;

import dev.leasehold.tck.HostileCallersContract;
import dev.leasehold.tck.MemoryUnderTest;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Hostile callers on the memory store")
class MemoryHostileCallersTest extends HostileCallersContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return MemoryUnderTest.inRealTime();
    }
}
