package dev.leasehold.redis;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.RemoteStoreContract;
import dev.leasehold.tck.RemoteUnderTest;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Redis behind a network")
class RedisRemoteTest extends RemoteStoreContract {
    @Override
    protected RemoteUnderTest remoteUnderTest() {
        TestRedis redis = TestRedis.shared();
        return new RemoteUnderTest() {
            @Override
            public InetSocketAddress server() {
                return redis.address();
            }

            @Override
            public LeaseStore open(int port, Duration callLimit) {
                return redis.builder(port).callLimit(callLimit).open();
            }
        };
    }
}
