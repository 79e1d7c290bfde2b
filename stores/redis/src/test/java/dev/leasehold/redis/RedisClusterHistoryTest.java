package dev.leasehold.redis;

import dev.leasehold.tck.HistoryContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("History on a Redis cluster")
class RedisClusterHistoryTest extends HistoryContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return RedisUnderTest.cluster();
    }
}
