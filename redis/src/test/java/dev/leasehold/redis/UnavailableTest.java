package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.Key;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.proxy.Fault;
import dev.leasehold.tck.proxy.FaultProxy;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

@DisplayName("A Redis that cannot be had")
class UnavailableTest {
    private final TestRedis redis = TestRedis.shared();
    private final FaultProxy proxy = redis.proxy();
    private final RedisLeaseStore store =
            redis.builder(proxy.port()).callLimit(Duration.ofMillis(600)).open();

    @AfterEach
    void close() {
        store.close();
        proxy.close();
        redis.close();
    }

    /** The call fails with its cause, as soon as the store says it will. */
    private void assertUnavailable() {
        long start = System.nanoTime();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> store.acquire(Ask.of(Ask.key())))
                .withCauseInstanceOf(JedisException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isLessThan(store.longestCall().plusSeconds(1));
    }

    @Test
    @Tag("slow")
    @DisplayName(
            "L08 because it is silent is said so in time, with the cause, though a connection must be opened first")
    void silent() {
        proxy.inject(Fault.Stall.both());
        assertUnavailable();
        assertUnavailable();
        proxy.heal();
        Threads.eventually("it works again", this::works);
    }

    @Test
    @DisplayName("L08 because it vanished is said so at once; when it is back, the first call works")
    void vanished() {
        Ask.take(store, Ask.key());
        proxy.inject(new Fault.RefuseConnections());
        proxy.resetAll();
        assertUnavailable();
        assertUnavailable();
        proxy.heal();
        Ask.take(store, Ask.key());
    }

    private boolean works() {
        try {
            Ask.take(store, Ask.key());
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    @Test
    @DisplayName("L08 is said so by whoever opens a store on it")
    void opening() {
        proxy.inject(new Fault.RefuseConnections());
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> redis.builder(proxy.port()).open());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "CLUSTERDOWN The cluster is down",
                "READONLY You can't write against a read only replica.",
                "MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist on disk.",
                "OOM command not allowed when used memory > 'maxmemory'. script: f00, on @user_script:12.",
                "ERR Error running script (call to f_00): @user_script:9: @user_script: 9: -OOM command not allowed",
                "BUSY Redis is busy running a script.",
                "MASTERDOWN Link with MASTER is down",
                "NOSCRIPT No matching script. Please use EVAL.",
                "NOREPLICAS Not enough good replicas to write.",
                "ERR max number of clients reached"
            })
    @DisplayName("L08 for now, by its own words, may be asked again")
    void passing(String words) {
        assertThat(RedisErrors.translate(new JedisDataException(words)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOAUTH Authentication required.",
                "NOPERM this user has no permissions to run the 'evalsha' command",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                "ERR unknown command `EVALSHA`"
            })
    @DisplayName("L08 until somebody mends it, by its own words, is not asked again in vain")
    void forGood(String words) {
        assertThat(RedisErrors.translate(new JedisDataException(words)))
                .isExactlyInstanceOf(StoreException.class)
                .hasMessageContaining(words);
    }

    @Test
    @DisplayName("X06 because something else is in the place of a record is said so")
    void wrongType() {
        Key key = Ask.key();
        redis.ask("SET", redis.prefix + key, "something else");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.acquire(Ask.of(key)))
                .isNotInstanceOf(StoreUnavailableException.class)
                .withMessageContaining("WRONGTYPE");
        assertThat(store.list(ListRequest.of("")).records()).isEmpty();
        assertThat(store.purge(Duration.ZERO, 10)).isZero();
    }
}
