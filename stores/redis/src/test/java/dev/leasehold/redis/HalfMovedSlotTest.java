package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.RedisCluster;
import dev.leasehold.servers.RedisServer;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.Renewal;
import dev.leasehold.tck.Ask;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.params.MigrateParams;
import redis.clients.jedis.util.JedisClusterCRC16;

@Tag("slow")
@DisplayName("On a Redis cluster with a slot that is half moved")
class HalfMovedSlotTest {
    private static final String PREFIX = "half:";

    private static Jedis connect(RedisServer node) {
        Jedis jedis = new Jedis(node.host(), node.port());
        jedis.auth(node.password());
        return jedis;
    }

    @Test
    @DisplayName("leases of this slot are renewed together, and so are those of other slots with them")
    void leasesAreRenewedTogether() {
        try (RedisCluster cluster = RedisCluster.start(Config.relaxed());
                RedisLeaseStore store = RedisLeaseStore.builder(RedisUnderTest.url(cluster))
                        .prefix(PREFIX)
                        .acceptingLostWrites()
                        .open()) {
            List<LeaseRef> leases = Stream.of("{t}/moved", "{t}/left", "{t}/last", "x", "y", "z")
                    .map(key -> Ask.take(store, Key.of(key)))
                    .toList();
            moveHalf(cluster, PREFIX + "{t}/moved");
            assertThat(store.renew(leases)).extracting(Renewal::lease).containsExactlyInAnyOrderElementsOf(leases);
        }
    }

    @Test
    @DisplayName("records of this slot that were listed together and moved apart since are left for a later purge")
    void recordsMovedSinceTheyWereListed() {
        try (RedisCluster cluster = RedisCluster.start(Config.relaxed());
                RedisLeaseStore store = RedisLeaseStore.builder(RedisUnderTest.url(cluster))
                        .prefix(PREFIX)
                        .acceptingLostWrites()
                        .open();
                Redis redis = redis(cluster)) {
            List<String> keys = List.of("{t}/moved", "{t}/left", "{t}/last");
            keys.forEach(key -> store.release(ReleaseRequest.of(Ask.take(store, Key.of(key)))));
            List<byte[]> places =
                    keys.stream().map(key -> Bytes.of(PREFIX + key)).toList();
            moveHalf(cluster, PREFIX + "{t}/moved");
            Call purge = Call.of(Script.PURGE, places, List.of(Bytes.of(Duration.ofDays(1))));
            assertThat(redis.askAll(List.of(purge), Node::ask)).containsExactly(Optional.of(0L));
        }
    }

    private static Redis redis(RedisCluster cluster) {
        JedisClientConfig config = DefaultJedisClientConfig.builder()
                .password(cluster.nodes().get(0).password())
                .build();
        Duration limit = Duration.ofSeconds(5);
        Set<HostAndPort> seeds = cluster.nodes().stream()
                .map(node -> new HostAndPort(node.host(), node.port()))
                .collect(Collectors.toSet());
        return new Redis(new Cluster(
                seeds, address -> new Node(() -> new Connection(address, config), 2, limit), limit));
    }

    private static void moveHalf(RedisCluster cluster, String key) {
        int slot = JedisClusterCRC16.getSlot(key);
        RedisServer from = cluster.nodes().stream()
                .filter(node -> {
                    try (Jedis jedis = connect(node)) {
                        return jedis.clusterCountKeysInSlot(slot) > 0;
                    }
                })
                .findFirst()
                .orElseThrow();
        RedisServer to = cluster.nodes().stream()
                .filter(node -> node != from)
                .findFirst()
                .orElseThrow();
        try (Jedis source = connect(from);
                Jedis target = connect(to)) {
            target.clusterSetSlotImporting(slot, source.clusterMyId());
            source.clusterSetSlotMigrating(slot, target.clusterMyId());
            MigrateParams password = new MigrateParams().auth(to.password());
            assertThat(source.migrate(to.host(), to.port(), 5_000, password, key))
                    .isEqualTo("OK");
        }
    }
}
