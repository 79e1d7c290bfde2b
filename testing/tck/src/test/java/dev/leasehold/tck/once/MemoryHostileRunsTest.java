package dev.leasehold.tck.once;

import dev.leasehold.tck.HostileRunsContract;
import dev.leasehold.tck.MemoryUnderTest;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Hostile runs on the memory store")
class MemoryHostileRunsTest extends HostileRunsContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return MemoryUnderTest.inRealTime();
    }
}
