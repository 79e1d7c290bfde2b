package dev.leasehold.tck.once;

import dev.leasehold.tck.MemoryUnderTest;
import dev.leasehold.tck.RunOnceContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Runs on the memory store")
class MemoryRunOnceTest extends RunOnceContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return MemoryUnderTest.inRealTime();
    }
}
