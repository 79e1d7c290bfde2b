package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Race;
import dev.leasehold.tck.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

@DisplayName("A store on the user's own pool of Redis connections")
class PoolTest {
    private static final int SIZE = 6;

    private final TestRedis redis = TestRedis.shared();
    private final Semaphore room = new Semaphore(SIZE);
    private final Queue<Connection> returned = new ConcurrentLinkedQueue<>();

    /** Goes back to the pool when it is closed. */
    private final class Pooled extends Connection {
        Pooled() {
            super(
                    new HostAndPort(redis.server.host(), redis.server.port()),
                    DefaultJedisClientConfig.builder()
                            .password(redis.server.password())
                            .socketTimeoutMillis(1_234)
                            .build());
        }

        @Override
        public void close() {
            returned.add(this);
            room.release();
        }
    }

    /** Waits for ever if there is none, as pools do unless told otherwise. */
    private Connection take() {
        room.acquireUninterruptibly();
        return new Pooled();
    }

    @AfterEach
    void close() {
        returned.forEach(Connection::disconnect);
        redis.close();
    }

    private RedisLeaseStore open() {
        return RedisLeaseStore.builder(this::take)
                .prefix(redis.prefix)
                .callLimit(Duration.ofMillis(500))
                .acceptingLostWrites()
                .open();
    }

    @Test
    @DisplayName("R13 uses no more than six of them, and gives them back as they were; what listened, as broken")
    void givesBack() throws Exception {
        try (RedisLeaseStore store = open()) {
            Race.of(32, racer -> () -> Ask.take(store, Ask.key()));
            assertThat(store.renew(List.of(Ask.take(store, Ask.key())))).hasSize(1);
            assertThat(store.onWakeUp(wakeUp -> {})).isPresent();
            assertThat(room.availablePermits())
                    .as("one listens, one at least is for calls")
                    .isLessThan(SIZE - 1);
        }
        Threads.eventually("all are back", () -> room.availablePermits() == SIZE);
        assertThat(returned).filteredOn(Connection::isBroken).hasSize(1);
        assertThat(returned).filteredOn(connection -> !connection.isBroken()).allSatisfy(connection -> {
            assertThat(connection.getSoTimeout()).isEqualTo(1_234);
            assertThat(connection.ping()).isTrue();
        });
    }

    @Test
    @DisplayName("W06 that is exhausted is told so in time, though the pool itself would wait for ever")
    void exhausted() {
        room.acquireUninterruptibly(SIZE);
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(this::open)
                .withMessageContaining("500 ms");
        room.release(SIZE);
        try (RedisLeaseStore store = open()) {
            Ask.take(store, Ask.key());
        }
    }
}
