package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.proxy.Direction;
import dev.leasehold.tck.proxy.Fault;
import dev.leasehold.tck.proxy.FaultProxy;
import dev.leasehold.tck.proxy.Injection;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("Between store and Redis")
class LostReplyTest {
    private final TestRedis redis = TestRedis.shared();
    private final FaultProxy proxy = redis.proxy();
    private final RedisLeaseStore direct = redis.builder().open();
    private final RedisLeaseStore store =
            redis.builder(proxy.port()).callLimit(Duration.ofMillis(700)).open();

    @AfterEach
    void close() {
        store.close();
        direct.close();
        proxy.close();
        redis.close();
    }

    /** Asks, loses the reply, and asks again. */
    private <T> T askedTwice(Supplier<T> ask) {
        store.find(Ask.key()); // Opens a connection, whose greetings shall not count.
        Injection lost = proxy.injectOnce(new Fault.LoseReply(1));
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(ask::get);
        assertThat(lost.firings()).as(proxy.toString()).isEqualTo(1);
        return ask.get();
    }

    @Test
    @DisplayName("A05 a lost reply to an acquire gives the same lease when asked again")
    void acquire() {
        AcquireRequest request = Ask.of(Ask.key());
        AcquireResult.Granted granted = Ask.granted(askedTwice(() -> store.acquire(request)));
        assertThat(granted.attempt()).isEqualTo(1);
        assertThat(direct.find(request.key()).orElseThrow().record().fence()).isEqualTo(granted.fence());
    }

    @Test
    @DisplayName("R04 a lost reply to a renewal leaves the lease its holder's")
    void renew() {
        LeaseRef lease = Ask.take(direct, Ask.key());
        store.renew(List.of(lease)); // Opens the connection that is kept for it.
        Injection lost = proxy.injectOnce(new Fault.LoseReply(1));
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> store.renew(List.of(lease)));
        assertThat(lost.firings()).as(proxy.toString()).isEqualTo(1);
        assertThat(store.renew(List.of(lease))).hasSize(1);
    }

    @Test
    @DisplayName("L04 a lost reply to a release that hands over hands over once, and says released")
    void handOver() {
        LeaseRef lease = Ask.take(direct, Ask.key());
        AcquireRequest first = Ask.of(lease.key()).inLineFor(Ask.LONG);
        AcquireRequest second = Ask.of(lease.key()).inLineFor(Ask.LONG);
        direct.acquire(first);
        direct.acquire(second);
        assertThat(askedTwice(() -> store.release(ReleaseRequest.of(lease)))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(Ask.granted(direct.acquire(first)).attempt()).isEqualTo(1);
        assertThat(direct.find(lease.key()).orElseThrow().record().line()).hasSize(1);
    }

    @Test
    @DisplayName("O08 a lost reply to a settlement leaves it settled")
    void settle() {
        LeaseRef lease = Ask.take(direct, Ask.key());
        SettleRequest request = SettleRequest.of(lease, Settlement.done(Payload.of("answer"), Ask.LONG));
        assertThat(askedTwice(() -> store.settle(request))).isEqualTo(SettleResult.SETTLED);
        assertThat(direct.find(lease.key()).orElseThrow().isSettled()).isTrue();
    }

    @Test
    @DisplayName("A06 a request that comes late, after its call was over and released, gets nothing")
    void late() {
        AcquireRequest request = Ask.of(Ask.key());
        store.find(request.key());
        Injection late = proxy.inject(new Fault.Delay(Direction.TO_SERVER, Duration.ofSeconds(30), Duration.ZERO));
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> store.acquire(request));
        LeaseRef lease = Ask.take(direct, request);
        direct.release(ReleaseRequest.of(lease));
        late.lift();
        assertThat(late.firings()).isPositive();
        assertStaysFree(lease);
    }

    @Test
    @DisplayName("A06 a request that is sent twice, the second time after the release, gets nothing")
    void twice() throws InterruptedException {
        AcquireRequest request = Ask.of(Ask.key());
        store.find(request.key());
        Injection twice = proxy.inject(new Fault.Replay(Fault.Replay.Via.SAME_CONNECTION, Duration.ofSeconds(30)));
        LeaseRef lease = Ask.take(store, request);
        direct.release(ReleaseRequest.of(lease));
        twice.lift();
        assertThat(twice.awaitFiring(Duration.ofSeconds(5)))
                .as(proxy.toString())
                .isTrue();
        assertStaysFree(lease);
    }

    private void assertStaysFree(LeaseRef lease) {
        Threads.pause(Duration.ofMillis(300));
        proxy.resetAll();
        assertThat(direct.find(lease.key()).orElseThrow().isHeld())
                .as(proxy.toString())
                .isFalse();
        assertThat(Ask.take(direct, lease.key()).fence()).isGreaterThan(lease.fence());
    }
}
