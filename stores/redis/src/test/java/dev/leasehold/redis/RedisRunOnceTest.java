package dev.leasehold.redis;

import dev.leasehold.tck.RunOnceContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Runs on Redis")
class RedisRunOnceTest extends RunOnceContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return RedisUnderTest.single();
    }
}
