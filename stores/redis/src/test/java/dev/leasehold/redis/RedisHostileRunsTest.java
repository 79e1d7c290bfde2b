package dev.leasehold.redis;

import dev.leasehold.tck.HostileRunsContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Hostile runs on Redis")
class RedisHostileRunsTest extends HostileRunsContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return RedisUnderTest.single();
    }
}
