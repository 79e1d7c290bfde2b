package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Config;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.WakeUp;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import dev.leasehold.tck.proxy.Direction;
import dev.leasehold.tck.proxy.Fault;
import dev.leasehold.tck.proxy.FaultProxy;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("A store on Redis")
class ListeningTest {
    private final BlockingQueue<WakeUp> told = new LinkedBlockingQueue<>();
    private final TestRedis redis = TestRedis.own(Config.relaxed());
    private final FaultProxy proxy = redis.proxy();
    private final RedisLeaseStore holder = redis.builder().open();
    private final RedisLeaseStore waiter =
            redis.builder(proxy.port()).callLimit(Duration.ofMillis(300)).open();

    ListeningTest() {
        // On a busy machine the first connection may take longer than the short limit of a call.
        Threads.eventually("it listens", () -> waiter.onWakeUp(told::add).isPresent());
    }

    @AfterEach
    void close() {
        holder.close();
        waiter.close();
        proxy.close();
        redis.close();
    }

    @Test
    @DisplayName("W04 has no connection that listens, until somebody wants to be told")
    void onlyWhenNeeded() {
        assertThat(listeners()).isOne();
        assertThat(holder.onWakeUp(told::add)).isPresent();
        assertThat(listeners()).isEqualTo(2);
    }

    @Test
    @Tag("slow")
    @DisplayName("W05 whose listening connection went dead without a word listens by another, once somebody waits")
    void listensAgain() throws Exception {
        assertThat(listeners()).isOne();
        LeaseRef lease = Ask.take(holder, Ask.key());
        AcquireRequest waiting = Ask.of(lease.key()).inLineFor(Ask.LONG);
        proxy.inject(Fault.Stall.of(Direction.TO_CLIENT));
        Threads.eventually("the dead one is given up", () -> asksInVain(waiting) && listeners() == 0);
        proxy.heal();
        Threads.eventually("it listens again", () -> listeners() == 1);
        assertThat(asksInVain(waiting)).isTrue();
        holder.release(ReleaseRequest.of(lease));
        assertThat(told.poll(10, TimeUnit.SECONDS)).extracting(WakeUp::nonce).isEqualTo(waiting.nonce());
    }

    private int listeners() {
        return Integer.parseInt(redis.info("pubsub_channels"));
    }

    private boolean asksInVain(AcquireRequest request) {
        try {
            return !Ask.isGranted(waiter.acquire(request));
        } catch (StoreUnavailableException e) {
            return true;
        }
    }
}
