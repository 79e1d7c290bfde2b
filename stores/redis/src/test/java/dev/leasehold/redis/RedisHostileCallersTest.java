package dev.leasehold.redis;

import dev.leasehold.tck.HostileCallersContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Hostile callers on Redis")
class RedisHostileCallersTest extends HostileCallersContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return RedisUnderTest.single();
    }
}
