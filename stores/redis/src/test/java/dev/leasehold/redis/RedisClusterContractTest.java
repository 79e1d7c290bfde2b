package dev.leasehold.redis;

import dev.leasehold.tck.LeaseStoreContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Redis cluster")
class RedisClusterContractTest extends LeaseStoreContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return RedisUnderTest.cluster();
    }
}
