package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.servers.Config;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A Redis whose memory is full, and that evicts nothing")
class FullServerTest {
    private final TestRedis redis = TestRedis.own(Config.relaxed());
    private final RedisLeaseStore store = redis.builder().open();

    @AfterEach
    void close() {
        store.close();
        redis.close();
    }

    private void fill() {
        redis.ask("CONFIG", "SET", "maxmemory", "1");
    }

    @Test
    @DisplayName("L08 grants nothing new, says so, and does again when there is room")
    void grantsNothing() {
        fill();
        AcquireRequest request = Ask.of(Ask.key());
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> store.acquire(request))
                .withMessageContaining("OOM");
        assertThat(store.find(request.key())).isEmpty();
        redis.ask("CONFIG", "SET", "maxmemory", "0");
        Ask.take(store, request);
    }

    @Test
    @DisplayName("R01 renews what is held, gives it back and hands it over")
    void keepsWhatIsHeld() {
        LeaseRef first = Ask.take(store, Ask.key());
        LeaseRef second = Ask.take(store, Ask.key());
        AcquireRequest waiting = Ask.of(second.key()).inLineFor(Ask.LONG);
        store.acquire(waiting);
        fill();
        assertThat(store.renew(List.of(first, second))).hasSize(2);
        assertThat(store.release(ReleaseRequest.of(first))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(store.release(ReleaseRequest.of(second))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(Ask.granted(store.acquire(waiting)).fence()).isGreaterThan(second.fence());
        assertThat(store.find(first.key()).orElseThrow().isHeld()).isFalse();
    }
}
