package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.servers.Config;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.WakeUp;
import dev.leasehold.tck.proxy.Direction;
import dev.leasehold.tck.proxy.Fault;
import dev.leasehold.tck.proxy.FaultProxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("On Redis, one store object tells another")
class HandOverTest {
    private final BlockingQueue<WakeUp> told = new LinkedBlockingQueue<>();
    private final TestRedis redis = TestRedis.own(Config.relaxed());
    private final FaultProxy proxy = redis.proxy();
    private final RedisLeaseStore holder = redis.builder().open();
    private final RedisLeaseStore waiter =
            redis.builder(proxy.port()).callLimit(Duration.ofMillis(300)).open();

    HandOverTest() {
        assertThat(waiter.onWakeUp(told::add)).isPresent();
    }

    @AfterEach
    void close() {
        holder.close();
        waiter.close();
        proxy.close();
        redis.close();
    }

    private AcquireRequest standInLine(Key key) {
        AcquireRequest request = Ask.of(key).inLineFor(Ask.LONG);
        waiter.acquire(request);
        return request;
    }

    private Optional<WakeUp> next() throws InterruptedException {
        return Optional.ofNullable(told.poll(10, TimeUnit.SECONDS));
    }

    private void killListeners() {
        redis.ask("CLIENT", "KILL", "TYPE", "pubsub");
    }

    private boolean areListening(int stores) {
        return redis.info("pubsub_channels").equals(Integer.toString(stores));
    }

    private void assertIsTold() throws InterruptedException {
        LeaseRef lease = Ask.take(holder, Ask.key());
        AcquireRequest request = standInLine(lease.key());
        holder.release(ReleaseRequest.of(lease));
        assertThat(next()).map(WakeUp::nonce).contains(request.nonce());
    }

    @Test
    @DisplayName("W04 that a lease was handed over to it, whatever the key is")
    void handOver() throws InterruptedException {
        Key key = Key.of(" it's \"a\" key; -- {食事} " + Ask.key());
        LeaseRef lease = Ask.take(holder, key);
        AcquireRequest request = standInLine(key);
        holder.release(ReleaseRequest.of(lease));
        assertThat(next()).get().isInstanceOfSatisfying(WakeUp.HandedOver.class, wakeUp -> {
            assertThat(wakeUp.nonce()).isEqualTo(request.nonce());
            assertThat(wakeUp.key()).isEqualTo(key);
            assertThat(wakeUp.lease().fence()).isGreaterThan(lease.fence());
            assertThat(wakeUp.waited()).isPositive();
        });
    }

    @Test
    @Tag("slow")
    @DisplayName("W05 again after its listening connection was cut")
    void listensAgain() throws Exception {
        Threads.eventually("both listen", () -> areListening(2));
        killListeners();
        Threads.eventually("nobody listens", () -> areListening(0));
        Threads.eventually("both listen again", () -> areListening(2));
        assertIsTold();
    }

    @Test
    @Tag("slow")
    @DisplayName("W05 again after its listening connection went dead without a word, once somebody waits")
    void noticesThatItIsDeaf() throws Exception {
        Threads.eventually("both listen", () -> areListening(2));
        LeaseRef lease = Ask.take(holder, Ask.key());
        AcquireRequest waiting = Ask.of(lease.key()).inLineFor(Ask.LONG);
        proxy.inject(Fault.Stall.of(Direction.TO_CLIENT));
        Threads.eventually("the dead one is given up", () -> asksInVain(waiting) && areListening(1));
        proxy.heal();
        Threads.eventually("both listen", () -> areListening(2));
        assertIsTold();
    }

    private boolean asksInVain(AcquireRequest request) {
        try {
            return !Ask.isGranted(waiter.acquire(request));
        } catch (StoreUnavailableException e) {
            return true;
        }
    }

    @Test
    @Tag("slow")
    @DisplayName("W05 nothing while its listening connection is dead, and the caller finds its lease by polling")
    void polling() throws Exception {
        try (Leases ann = Leases.on(holder);
                Leases bob = Leases.on(waiter)) {
            Lease lease = ann.tryAcquire(Ask.key()).orElseThrow();
            Threads.Running<Acquisition> waiting =
                    Threads.start(() -> bob.acquire(lease.key(), LeaseOptions.waitFor(Duration.ofSeconds(15))));
            Threads.eventually(
                    "it stands in line",
                    () -> !holder.find(lease.key())
                            .orElseThrow()
                            .record()
                            .line()
                            .isEmpty());
            killListeners();
            lease.release();
            assertThat(waiting.get().orElseThrow().isValid()).isTrue();
        }
    }
}
