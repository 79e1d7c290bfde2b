package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.servers.Config;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import dev.leasehold.tck.proxy.FaultProxy;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("A failover")
class FailoverTest {
    private TestRedis master;
    private TestRedis replica;
    private FaultProxy proxy;
    private RedisLeaseStore store;

    /** The store reaches the master by a name that can be made to lead elsewhere, as a load balancer's does. */
    @BeforeEach
    void start() {
        master = TestRedis.own(Config.relaxed());
        replica = TestRedis.own(Config.relaxed());
        // One password would do in real life; these two have none, so that the same client gets into both.
        master.ask("CONFIG", "SET", "requirepass", "");
        replica.ask("CONFIG", "SET", "requirepass", "");
        follow(replica, master);
        proxy = master.proxy();
        store = RedisLeaseStore.builder("redis://127.0.0.1:" + proxy.port())
                .prefix(master.prefix)
                .acceptingLostWrites()
                .open();
    }

    @AfterEach
    void close() {
        store.close();
        proxy.close();
        replica.close();
        master.close();
    }

    private static void follow(TestRedis follower, TestRedis leader) {
        follower.askOpenly("REPLICAOF", leader.server.host(), Integer.toString(leader.server.port()));
        Threads.eventually(
                "it follows", () -> follower.infoOpenly("master_link_status").equals("up"));
    }

    @Test
    @DisplayName("F04 to a replica that lacks the last commits grants again what is held, with a larger fence")
    void lostCommits() {
        LeaseRef copied = Ask.take(store, Ask.key());
        Threads.eventually("it is copied", () -> replica.askOpenly("DBSIZE").equals("1"));
        replica.askOpenly("REPLICAOF", "NO", "ONE");
        LeaseRef lacking = Ask.take(store, Ask.key());

        proxy.retarget(replica.address());
        proxy.resetAll();
        Threads.eventually("the store is there", () -> isReachable(copied));

        assertThat(store.renew(List.of(copied, lacking)))
                .extracting(renewal -> renewal.lease())
                .containsExactly(copied);
        assertThat(Ask.take(store, lacking.key()).fence()).isGreaterThan(lacking.fence());
    }

    private boolean isReachable(LeaseRef lease) {
        try {
            return store.find(lease.key()).isPresent();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    @Test
    @DisplayName("L08 has to come first for a store that is opened on a replica")
    void opening() {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> RedisLeaseStore.of(replica.openUrl()))
                .withMessageContaining("replica");
    }

    @Test
    @DisplayName("L08 that leaves the store at the old master, which takes no writes, costs a call and the connection")
    void readOnly() {
        Ask.take(store, Ask.key());
        replica.askOpenly("REPLICAOF", "NO", "ONE");
        follow(master, replica);
        proxy.retarget(replica.address());

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> store.acquire(Ask.of(Ask.key())))
                .withMessageContaining("READONLY");

        // No connection was cut: the store itself has dropped those that lead to the old master.
        LeaseRef lease = Ask.take(store, Ask.key());
        assertThat(replica.askOpenly("HGET", master.prefix + lease.key(), "fence"))
                .isEqualTo(lease.fence().toString());
    }
}
