package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("F08 A fence passes through Lua to the last digit")
class ExactFenceTest {
    private final TestRedis redis = TestRedis.shared();
    private final RedisLeaseStore store = redis.builder().open();

    @AfterEach
    void close() {
        store.close();
        redis.close();
    }

    /** A free record whose last fence was this. */
    private AcquireRequest after(String fence) {
        LeaseRef lease = Ask.take(store, Ask.key());
        store.release(ReleaseRequest.of(lease));
        redis.ask("HSET", redis.prefix + lease.key(), "fence", fence);
        return Ask.of(lease.key());
    }

    private String stored(LeaseRef lease) {
        return redis.ask("HGET", redis.prefix + lease.key(), "fence");
    }

    @ParameterizedTest
    @ValueSource(longs = {4_503_599_627_370_497L, 8_999_999_999_999_998L, 9_007_199_254_740_988L, Fence.MAX_VALUE - 1})
    @DisplayName("F08 in a grant, a renewal, a hand-over and a release")
    void exact(long last) {
        LeaseRef lease = Ask.take(store, after(Long.toString(last)));
        assertThat(lease.fence()).isEqualTo(Fence.of(last + 1));
        assertThat(stored(lease)).isEqualTo(Long.toString(last + 1));
        assertThat(store.renew(List.of(lease))).hasSize(1);
        assertThat(store.find(lease.key()).orElseThrow().record().ref()).isEqualTo(lease);
        store.release(ReleaseRequest.of(lease));
        assertThat(stored(lease)).isEqualTo(Long.toString(last + 1));
    }

    @Test
    @DisplayName("F08 in a hand-over too")
    void handOver() {
        LeaseRef lease = Ask.take(store, after("9007199254740988"));
        AcquireRequest waiting = Ask.of(lease.key()).inLineFor(Ask.LONG);
        store.acquire(waiting);
        store.release(ReleaseRequest.of(lease));
        assertThat(Ask.granted(store.acquire(waiting)).fence()).isEqualTo(Fence.of(9_007_199_254_740_990L));
    }

    @ParameterizedTest
    @ValueSource(strings = {"9007199254740991", "9007199254740992", "9007199254740993", "9223372036854775807"})
    @DisplayName("F08 and where no larger one can be told apart, none is given, and nothing changes")
    void refused(String last) {
        AcquireRequest request = after(last);
        String before = redis.ask("HGETALL", redis.prefix + request.key());
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.acquire(request))
                .isNotInstanceOf(StoreUnavailableException.class)
                .withMessageContaining("fence");
        assertThat(redis.ask("HGETALL", redis.prefix + request.key())).isEqualTo(before);
    }
}
