package dev.leasehold.redis;

import dev.leasehold.tck.LeasesContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Leases on Redis")
class RedisLeasesTest extends LeasesContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return RedisUnderTest.single();
    }
}
