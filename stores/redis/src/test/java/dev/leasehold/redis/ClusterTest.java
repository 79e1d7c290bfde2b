package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.RedisServer;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.WakeUp;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.util.JedisClusterCRC16;

@Tag("slow")
@DisplayName("On a Redis cluster")
class ClusterTest {
    private final String prefix = "cluster " + UUID.randomUUID() + ":";
    private final RedisLeaseStore store = open();

    private RedisLeaseStore open() {
        return RedisLeaseStore.builder(RedisUnderTest.SharedCluster.URL)
                .prefix(prefix)
                .acceptingLostWrites()
                .open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static String ask(RedisServer node, String... words) {
        return TestRedis.askAt(node.url(), words);
    }

    private static List<RedisServer> nodes() {
        return RedisUnderTest.SharedCluster.CLUSTER.nodes();
    }

    private int slot(Key key) {
        return JedisClusterCRC16.getSlot(Bytes.of(prefix + key));
    }

    /** In many slots, and some in the same though they differ: what stands in braces decides. */
    private static List<Key> keys() {
        List<Key> keys = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            keys.add(Key.of("job-" + i));
            keys.add(Key.of("{tag}/" + i));
            keys.add(Key.of("a{" + i + "}b{tag}"));
        }
        keys.addAll(List.of(Key.of("{}"), Key.of("{}x"), Key.of("{"), Key.of("}{"), Key.of("{{tag}}")));
        return keys;
    }

    @Test
    @DisplayName("A10 keys in different slots, with braces in them too, are taken, renewed, listed and purged together")
    void slots() {
        List<LeaseRef> leases = keys().stream().map(key -> Ask.take(store, key)).toList();
        assertThat(leases.stream().map(lease -> slot(lease.key())).distinct().count())
                .isGreaterThan(60);

        assertThat(store.renew(leases)).extracting(Renewal::lease).containsExactlyInAnyOrderElementsOf(leases);
        assertThat(store.list(ListRequest.of("").withLimit(1_000)).records())
                .extracting(LeaseSnapshot::key)
                .containsExactlyElementsOf(keys().stream().sorted().toList());
        assertThat(store.list(ListRequest.of("{tag}").withLimit(1_000)).records())
                .hasSize(60);

        leases.forEach(lease -> store.release(ReleaseRequest.of(lease)));
        Threads.pause(Duration.ofMillis(2));
        assertThat(store.purge(Duration.ZERO, 100)).isEqualTo(100);
        assertThat(store.purge(Duration.ZERO, 1_000)).isEqualTo(leases.size() - 100);
    }

    @Test
    @DisplayName("W04 whoever waits is told, whichever nodes the key and the listener are at")
    void wakeUps() throws InterruptedException {
        BlockingQueue<WakeUp> told = new LinkedBlockingQueue<>();
        try (RedisLeaseStore waiter = open()) {
            waiter.onWakeUp(told::add);
            for (Key key : keys().subList(0, 12)) {
                LeaseRef lease = Ask.take(store, key);
                AcquireRequest waiting = Ask.of(key).inLineFor(Ask.LONG);
                waiter.acquire(waiting);
                store.release(ReleaseRequest.of(lease));
                WakeUp next = told.poll(10, TimeUnit.SECONDS);
                assertThat(next).isNotNull().extracting(WakeUp::nonce).isEqualTo(waiting.nonce());
            }
        }
    }

    @Test
    @DisplayName("L08 a slot that is moved to another node while it is used costs nobody a lease or a call")
    void movedSlot() {
        String tag = emptyTag();
        Key old = Key.of(tag + "/old");
        LeaseRef lease = Ask.take(store, old);
        String slot = Integer.toString(slot(old));
        RedisServer from = owner(slot(old));
        RedisServer to =
                nodes().stream().filter(node -> node != from).findFirst().orElseThrow();

        ask(to, "CLUSTER", "SETSLOT", slot, "IMPORTING", ask(from, "CLUSTER", "MYID"));
        ask(from, "CLUSTER", "SETSLOT", slot, "MIGRATING", ask(to, "CLUSTER", "MYID"));
        // The old owner has this one still, and sends whoever asks for another to the new.
        assertThat(store.renew(List.of(lease))).hasSize(1);
        LeaseRef fresh = Ask.take(store, Key.of(tag + "/new"));
        assertThat(store.find(fresh.key()).orElseThrow().record().ref()).isEqualTo(fresh);

        String port = Integer.toString(to.port());
        ask(from, "MIGRATE", to.host(), port, prefix + old, "0", "5000", "AUTH", to.password());
        for (RedisServer node : nodes()) {
            ask(node, "CLUSTER", "SETSLOT", slot, "NODE", ask(to, "CLUSTER", "MYID"));
        }
        assertThat(store.renew(List.of(lease, fresh))).hasSize(2);
        assertThat(Ask.isGranted(store.acquire(Ask.of(old)))).isFalse();
        store.release(ReleaseRequest.of(lease));
        assertThat(Ask.take(store, old).fence()).isGreaterThan(lease.fence());
    }

    /** The beginning of keys in a slot that no other test has left something in. */
    private String emptyTag() {
        return Stream.iterate(0, number -> number + 1)
                .map(number -> "{moved " + number + "}")
                .filter(tag -> nodes().stream().noneMatch(node -> hasKeys(node, slot(Key.of(tag)))))
                .findFirst()
                .orElseThrow();
    }

    private static boolean hasKeys(RedisServer node, int slot) {
        return !ask(node, "CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), "1")
                .isEmpty();
    }

    private RedisServer owner(int slot) {
        for (RedisServer node : nodes()) {
            if (hasKeys(node, slot)) {
                return node;
            }
        }
        throw new AssertionError("Nobody has slot " + slot);
    }
}
