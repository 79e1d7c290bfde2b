package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Config;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.Renewal;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Race;
import dev.leasehold.tck.Threads;
import dev.leasehold.tck.proxy.Fault;
import dev.leasehold.tck.proxy.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

@DisplayName("Calls to Redis share trips")
class BatchingTest {
    private final TestRedis redis = TestRedis.own(Config.relaxed());
    private final FaultProxy proxy = redis.proxy();
    private final AtomicInteger trips = new AtomicInteger();
    private final RedisLeaseStore store = RedisLeaseStore.builder(Counted::new)
            .prefix(redis.prefix)
            .connections(1)
            .callLimit(Duration.ofSeconds(20))
            .acceptingLostWrites()
            .open();

    /** Counts how often somebody waited for answers: once for each trip, however the network cuts what is sent. */
    private final class Counted extends Connection {
        Counted() {
            super(
                    new HostAndPort(redis.server.host(), proxy.port()),
                    DefaultJedisClientConfig.builder()
                            .password(redis.server.password())
                            .build());
        }

        @Override
        public List<Object> getMany(int answers) {
            trips.incrementAndGet();
            return super.getMany(answers);
        }
    }

    @AfterEach
    void close() {
        store.close();
        proxy.close();
        redis.close();
    }

    @Test
    @DisplayName(
            "W06 64 calls of all kinds, one of which finds the connection free, go in two trips, and each gets its own answer")
    void together() throws Exception {
        List<LeaseRef> held = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            held.add(Ask.take(store, Ask.key()));
        }
        store.find(Ask.key()); // The server knows the scripts from now on.
        List<Threads.Running<String>> running = new ArrayList<>();
        int before = trips.get();
        proxy.inject(Fault.Stall.both());
        for (LeaseRef lease : held) {
            Key fresh = Ask.key();
            running.add(start(() -> Ask.take(store, fresh).key().equals(fresh)));
            running.add(start(() -> !Ask.isGranted(store.acquire(Ask.of(lease.key())))));
            running.add(
                    start(() -> store.find(lease.key()).orElseThrow().record().ref()));
            running.add(start(() -> store.find(Ask.key()).isEmpty()));
        }
        Threads.eventually(
                "all but one queue",
                () -> running.stream().filter(Threads.Running::isWaiting).count() == 63);
        proxy.heal();
        for (int i = 0; i < running.size(); i++) {
            Object expected = i % 4 == 2 ? held.get(i / 4) : true;
            assertThat(running.get(i).get()).isEqualTo(String.valueOf(expected));
        }
        assertThat(trips.get() - before).as("trips for 64 calls").isEqualTo(2);
    }

    private static Threads.Running<String> start(Supplier<Object> call) {
        return Threads.start(() -> String.valueOf(call.get()));
    }

    @Test
    @DisplayName("R07 of 500 leases that are renewed together, exactly those three are missing that were taken")
    void renewal() throws Exception {
        List<LeaseRef> leases = new ArrayList<>(Race.of(500, racer -> () -> Ask.take(store, Ask.key())));
        List<LeaseRef> gone = List.of(leases.get(0), leases.get(255), leases.get(499));
        gone.forEach(lease -> store.release(ReleaseRequest.of(lease)));
        List<LeaseRef> renewed =
                store.renew(leases).stream().map(Renewal::lease).toList();
        leases.removeAll(gone);
        assertThat(renewed).containsExactlyElementsOf(leases);
    }

    @Test
    @Tag("slow")
    @DisplayName("R14 10,000 leases are renewed in five trips, fifteen scripts, and a fraction of a second each")
    void renewals() throws Exception {
        List<LeaseRef> leases = Race.of(50, racer -> () -> {
                    List<LeaseRef> some = new ArrayList<>();
                    for (int i = 0; i < 200; i++) {
                        some.add(Ask.take(store, Ask.key()));
                    }
                    return some;
                })
                .stream()
                .flatMap(List::stream)
                .toList();
        store.renew(leases.subList(0, 1)); // Opens the connection that is kept for it, and tells the server the script.
        redis.ask("CONFIG", "RESETSTAT");
        int before = trips.get();
        assertThat(store.renew(leases)).hasSize(10_000);
        assertThat(trips.get() - before).isEqualTo(5);
        assertThat(redis.info("cmdstat_evalsha")).startsWith("calls=15,");
    }
}
