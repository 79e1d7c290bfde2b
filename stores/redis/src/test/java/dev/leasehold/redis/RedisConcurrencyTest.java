package dev.leasehold.redis;

import dev.leasehold.tck.StoreUnderTest;
import dev.leasehold.tck.concurrency.ConcurrencyContract;
import org.junit.jupiter.api.DisplayName;

/** Nothing widens the races here: each verb is one script, and the server runs one script at a time. */
@DisplayName("Redis")
class RedisConcurrencyTest extends ConcurrencyContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return RedisUnderTest.single();
    }
}
