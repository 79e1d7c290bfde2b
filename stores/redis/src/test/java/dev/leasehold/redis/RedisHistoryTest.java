package dev.leasehold.redis;

import dev.leasehold.tck.HistoryContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;

@DisplayName("History on Redis")
class RedisHistoryTest extends HistoryContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return RedisUnderTest.single();
    }
}
