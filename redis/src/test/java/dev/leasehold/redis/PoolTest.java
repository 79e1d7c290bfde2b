package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

@DisplayName("A store on the user's own pool of Redis connections")
class PoolTest {
    private final TestRedis redis = TestRedis.shared();
    private final ConnectionPool pool = pool();

    private ConnectionPool pool() {
        ConnectionPoolConfig config = new ConnectionPoolConfig();
        config.setMaxTotal(4);
        return new ConnectionPool(
                new HostAndPort(redis.server.host(), redis.server.port()),
                DefaultJedisClientConfig.builder()
                        .password(redis.server.password())
                        .socketTimeoutMillis(1_234)
                        .build(),
                config);
    }

    @AfterEach
    void close() {
        pool.close();
        redis.close();
    }

    private RedisLeaseStore open() {
        return RedisLeaseStore.builder(pool::getResource)
                .prefix(redis.prefix)
                .callLimit(Duration.ofMillis(500))
                .acceptingLostWrites()
                .open();
    }

    @Test
    @DisplayName("R13 uses no more than four of them, and gives them back as they were")
    void givesBack() throws Exception {
        try (RedisLeaseStore store = open()) {
            Threads.race(32, racer -> Ask.take(store, Ask.key()));
            store.renew(List.of(Ask.take(store, Ask.key())));
            assertThat(pool.getNumActive()).isLessThanOrEqualTo(4);
        }
        Threads.eventually("all are back", () -> pool.getNumActive() == 0);
        try (Connection connection = pool.getResource()) {
            assertThat(connection.getSoTimeout()).isEqualTo(1_234);
            assertThat(connection.ping()).isTrue();
        }
    }

    @Test
    @DisplayName("W06 that is exhausted is told so in time, though the pool itself would wait for ever")
    void exhausted() {
        List<Connection> taken = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            taken.add(pool.getResource());
        }
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(this::open)
                .withMessageContaining("500 ms");
        taken.forEach(Connection::close);
        try (RedisLeaseStore store = open()) {
            Ask.take(store, Ask.key());
        }
    }
}
