package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.Key;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisDataException;

@DisplayName("An error of Redis")
class RedisErrorsTest {
    private final TestRedis redis = TestRedis.shared();
    private final RedisLeaseStore store = redis.builder().open();

    @AfterEach
    void close() {
        store.close();
        redis.close();
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
    @DisplayName("L08 that passes, by its own words, lets a caller ask again")
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
    @DisplayName("L08 that somebody must mend, by its own words, lets nobody ask again in vain")
    void forGood(String words) {
        assertThat(RedisErrors.translate(new JedisDataException(words)))
                .isExactlyInstanceOf(StoreException.class)
                .hasMessageContaining(words);
    }

    @Test
    @DisplayName("X06 says that something else is in the place of a record")
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
