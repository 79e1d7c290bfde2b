package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.RedisCluster;
import dev.leasehold.servers.RedisServer;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("A Redis cluster with a node that came back empty and whose slots another node has")
class WipedNodeTest {
    private final RedisCluster cluster = RedisCluster.start(Config.relaxed());
    private final RedisLeaseStore store = open();

    private RedisLeaseStore open() {
        return RedisLeaseStore.builder(RedisUnderTest.url(cluster))
                .callLimit(Duration.ofSeconds(2))
                .acceptingLostWrites()
                .open();
    }

    private static String ask(RedisServer node, String... words) {
        return TestRedis.askAt("redis://:" + node.password() + "@" + node.host() + ":" + node.port(), words);
    }

    @BeforeEach
    void wipe() {
        IntStream.range(0, 30).forEach(i -> Ask.take(store, Ask.key()));
        List<RedisServer> nodes = cluster.nodes();
        String id = ask(nodes.get(0), "CLUSTER", "MYID");
        ask(nodes.get(0), "FLUSHALL");
        ask(nodes.get(0), "CLUSTER", "RESET", "HARD");
        ask(nodes.get(1), "CLUSTER", "FORGET", id);
        ask(nodes.get(2), "CLUSTER", "FORGET", id);
        ask(
                nodes.get(1),
                Stream.concat(
                                Stream.of("CLUSTER", "ADDSLOTS"),
                                IntStream.range(0, 16_384 / 3).mapToObj(Integer::toString))
                        .toArray(String[]::new));
        Threads.eventually("the others have all slots", () -> isWhole(nodes.get(1), nodes.get(2)));
    }

    private static boolean isWhole(RedisServer... nodes) {
        return Stream.of(nodes)
                .map(node -> ask(node, "CLUSTER", "INFO"))
                .allMatch(info -> info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:16384"));
    }

    @AfterEach
    void close() {
        store.close();
        cluster.close();
    }

    /** Returns how many of 40 calls failed, each on a key of its own. */
    private static long failures(RedisLeaseStore asked) {
        return IntStream.range(0, 40).filter(i -> !takes(asked)).count();
    }

    private static boolean takes(RedisLeaseStore asked) {
        try {
            Ask.take(asked, Ask.key());
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    @Test
    @DisplayName("G4 serves every key again to a store that was open before")
    void openBefore() {
        Threads.eventually("the store asks again who has which slot", () -> failures(store) == 0);
    }

    @Test
    @DisplayName("serves every key to a store that is opened later")
    void openedLater() {
        try (RedisLeaseStore later = open()) {
            assertThat(failures(later)).isZero();
        }
    }

    @Test
    @DisplayName("is not opened by the URL of the empty node alone, and the message says why")
    void emptyNodeAlone() {
        RedisServer empty = cluster.nodes().get(0);
        String url = "redis-cluster://:" + empty.password() + "@" + empty.host() + ":" + empty.port();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> RedisLeaseStore.of(url).close())
                .satisfies(failure -> assertThat(failure).hasStackTraceContaining("CLUSTER SLOTS"));
    }
}
