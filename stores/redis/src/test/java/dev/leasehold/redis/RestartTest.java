package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.Leases;
import dev.leasehold.servers.Config;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Race;
import dev.leasehold.tck.Threads;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisException;

@Tag("slow")
@DisplayName("A Redis that is killed, hangs or is started again")
class RestartTest {
    private TestRedis redis;
    private RedisLeaseStore store;

    private void start(Config config) {
        redis = TestRedis.own(config);
        store = redis.builder().callLimit(Duration.ofSeconds(1)).open();
    }

    @AfterEach
    void close() {
        store.close();
        redis.close();
    }

    @Test
    @DisplayName("F03 with an append-only file has kept every lease, gives larger fences, and costs one call at most")
    void kept() throws Exception {
        start(Config.relaxed());
        Race.of(8, racer -> () -> Ask.take(store, Ask.key()));
        LeaseRef lease = Ask.take(store, Ask.key());
        redis.server.kill();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> store.acquire(Ask.of(Ask.key())))
                .withCauseInstanceOf(JedisException.class);
        redis.server.restart();
        for (int i = 0; i < 8; i++) {
            assertThat(Ask.take(store, Ask.key()).fence()).isGreaterThan(lease.fence());
        }
        assertThat(Ask.isGranted(store.acquire(Ask.of(lease.key())))).isFalse();
        assertThat(store.renew(List.of(lease))).hasSize(1);
    }

    @Test
    @DisplayName("F04 without one has forgotten all leases, and gives larger fences all the same")
    void forgotten() {
        start(Config.relaxed().with("appendonly", "no"));
        LeaseRef lease = Ask.take(store, Ask.key());
        redis.server.kill();
        redis.server.restart();
        Threads.eventually("it answers", () -> isForgotten(lease));
        assertThat(Ask.take(store, lease.key()).fence()).isGreaterThan(lease.fence());
        assertThat(store.renew(List.of(lease))).isEmpty();
    }

    /** The first call may find a connection that is dead by now. */
    private boolean isForgotten(LeaseRef lease) {
        try {
            return store.find(lease.key()).isEmpty();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    @Test
    @DisplayName("F04 FLUSHALL forgets all leases: the holder's next renewal says so, and fences grow")
    void flushed() {
        start(Config.relaxed());
        LeaseRef lease = Ask.take(store, Ask.key());
        redis.ask("FLUSHALL");
        assertThat(store.renew(List.of(lease))).isEmpty();
        assertThat(Ask.take(store, lease.key()).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @DisplayName("R09, E03 costs the lease at its deadline and not later, and clients go on by themselves")
    void hangs() throws Exception {
        start(Config.relaxed());
        Key key = Ask.key();
        try (Leases leases = Leases.on(store)) {
            Lease lease = leases.tryAcquire(key, LeaseOptions.noWait().withTtl(Duration.ofMillis(1_500)))
                    .orElseThrow();
            redis.server.pause();
            long paused = System.nanoTime();
            Threads.eventually("lost", () -> lease.state() == LeaseState.LOST);
            assertThat(Duration.ofNanos(System.nanoTime() - paused)).isLessThan(Duration.ofMillis(2_500));
            Threads.Running<Acquisition> again =
                    Threads.start(() -> leases.acquire(key, LeaseOptions.waitFor(Duration.ofSeconds(15))));
            redis.server.resume();
            Lease next = again.get().orElseThrow();
            assertThat(next.fence()).isGreaterThanOrEqualTo(lease.fence());
            assertThat(next.isValid()).isTrue();
        }
    }
}
