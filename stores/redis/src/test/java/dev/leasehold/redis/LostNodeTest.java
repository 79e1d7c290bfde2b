package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.RedisCluster;
import dev.leasehold.servers.RedisServer;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.util.JedisClusterCRC16;

/** With {@code cluster-require-full-coverage no}: otherwise Redis itself serves nobody while a node is gone. */
@Tag("slow")
@DisplayName("On a Redis cluster that lost a node")
class LostNodeTest {
    private static final int THIRD = 16_384 / 3;
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private static RedisCluster cluster;

    @BeforeAll
    static void startAll() {
        cluster = RedisCluster.start(Config.relaxed().with("cluster-require-full-coverage", "no"));
    }

    @AfterAll
    static void closeAll() {
        cluster.close();
    }

    private final RedisServer gone = cluster.nodes().get(0);
    private final RedisLeaseStore store = RedisLeaseStore.builder(RedisUnderTest.url(cluster))
            .callLimit(LIMIT)
            .acceptingLostWrites()
            .open();
    private final LeaseRef there = Ask.take(store, key(false));
    private final LeaseRef lost = Ask.take(store, key(true));

    @AfterEach
    void close() {
        store.close();
    }

    /** A new key whose slot is among those of the first node, or of another. */
    private static Key key(boolean isGone) {
        return Stream.generate(Ask::key)
                .filter(key ->
                        JedisClusterCRC16.getSlot(Bytes.of(RedisLeaseStoreBuilder.PREFIX + key)) < THIRD == isGone)
                .findFirst()
                .orElseThrow();
    }

    private static Duration time(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private void assertOthersGoOn() {
        assertThat(time(() -> {
                    LeaseRef lease = Ask.take(store, key(false));
                    assertThat(store.renew(List.of(lease, there))).hasSize(2);
                    assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
                }))
                .as("not held up by the one that is gone")
                .isLessThan(LIMIT);
    }

    private void assertItsKeysAreUnavailable() {
        assertThat(time(() -> assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> Ask.take(store, key(true)))))
                .isLessThan(store.longestCall().plusSeconds(1));
    }

    /** For longer than the cluster takes to notice. */
    private void assertOnlyItsKeysAreLost() {
        long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
        while (System.nanoTime() < end) {
            assertItsKeysAreUnavailable();
            assertOthersGoOn();
        }
        assertThatExceptionOfType(StoreException.class)
                .as("whoever renews both should ask for fewer, and learn of the one that is well")
                .isThrownBy(() -> store.renew(List.of(there, lost)))
                .isNotInstanceOf(StoreUnavailableException.class);
    }

    private void assertRecovers() {
        Threads.eventually("its keys are back", () -> {
            try {
                return store.renew(List.of(there, lost)).size() == 2;
            } catch (StoreException e) {
                return false;
            }
        });
        assertThat(store.renew(List.of(lost))).extracting(Renewal::lease).containsExactly(lost);
        Ask.take(store, key(true));
        assertOthersGoOn();
    }

    @Test
    @DisplayName(
            "L08 by a kill, its keys are unavailable and say so in time, the others' go on; its leases are there again when it is")
    void killed() {
        gone.kill();
        assertOnlyItsKeysAreLost();
        gone.restart();
        assertRecovers();
    }

    @Test
    @DisplayName("L08 that is silent, its keys are unavailable and say so in time, and nobody else waits for it")
    void silent() {
        gone.pause();
        assertOnlyItsKeysAreLost();
        gone.resume();
        assertRecovers();
    }
}
