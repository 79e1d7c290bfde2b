package dev.leasehold.redis;

import dev.leasehold.tck.StoreUnderTest;
import dev.leasehold.tck.UniqueNamesContract;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Unique names on Redis")
class RedisUniqueNamesTest extends UniqueNamesContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return RedisUnderTest.single();
    }
}
