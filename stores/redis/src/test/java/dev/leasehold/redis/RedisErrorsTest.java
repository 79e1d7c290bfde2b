package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
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

    /** As another program might have them, and records of ours from which a field is gone. */
    static Stream<List<String>> foreign() {
        List<String> ours = List.of(
                "state",
                "H",
                "nonce",
                "0".repeat(32),
                "fence",
                "5",
                "exp",
                "9",
                "owner",
                "o",
                "ttl",
                "1",
                "since",
                "2");
        return Stream.of(
                List.of("name", "ann"),
                List.of("state", "active", "user", "ann"),
                List.of("state", "H"),
                List.of("state", "F"),
                List.of("state", "F", "fence", "5"),
                List.of("state", "F", "fence", "5", "exp", "0"),
                List.of("state", "D", "fence", "5", "exp", "0"),
                List.of("exp", "0", "fence", "0"),
                List.of("state", "F", "fence", "x", "exp", "y", "nonce", "z"),
                ours.subList(0, 12),
                Stream.concat(ours.stream().limit(4), Stream.of("fence", "five", "exp", "9", "owner", "o"))
                        .toList());
    }

    @ParameterizedTest
    @MethodSource("foreign")
    @DisplayName("X06 says that a hash of another program is in the place of a record, and the hash stays as it is")
    void foreignHash(List<String> fields) {
        Key key = Ask.key();
        String place = redis.prefix + key;
        redis.ask(Stream.concat(Stream.of("HSET", place), fields.stream()).toArray(String[]::new));
        for (AcquireRequest request : List.of(
                Ask.of(key), Ask.of(key).inLineFor(Ask.LONG), Ask.of(key).ignoringCooldown())) {
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> store.acquire(request))
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .withMessageContaining(place)
                    .withMessageContaining("prefix");
        }
        assertThat(store.find(key)).isEmpty();
        assertThat(store.list(ListRequest.of(key.value())).records()).isEmpty();
        assertThat(store.purge(Duration.ZERO, 10)).isZero();
        assertThat(List.of(redis.ask("HGETALL", place).split(" "))).containsExactlyElementsOf(fields);
        redis.ask("DEL", place);
    }

    @Test
    @DisplayName("X06 says that something else is in the place of a record")
    void wrongType() {
        Key key = Ask.key();
        redis.ask("SET", redis.prefix + key, "something else");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.acquire(Ask.of(key)))
                .isNotInstanceOf(StoreUnavailableException.class)
                .withMessageContaining("WRONGTYPE")
                .withMessageContaining(redis.prefix + key);
        assertThat(store.list(ListRequest.of("")).records()).isEmpty();
        assertThat(store.purge(Duration.ZERO, 10)).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ERR Unsupported CONFIG parameter: appendfsync",
                "ERR Command disallowed",
                "ERR command is not allowed",
                "ERR unknown command 'CONFIG'",
                "NOPERM this user has no permissions to run the 'config' command"
            })
    @DisplayName("by which a provider withholds a command is told from one that stops every command")
    void withheld(String words) {
        assertThat(RedisErrors.isWithheld(RedisErrors.translate(new JedisDataException(words))))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "CLUSTERDOWN Hash slot not served",
                "ERR max number of clients reached",
                "NOAUTH Authentication required.",
                "WRONGPASS invalid username-password pair or user is disabled.",
                "ERR invalid password",
                "ERR AUTH <password> called without any password configured for the default user.",
                "ERR wrong number of arguments for 'auth' command",
                "DENIED Redis is running in protected mode because protected mode is enabled",
                "ERR DB index is out of range",
                "ERR invalid DB index",
                "ERR SELECT is not allowed in cluster mode"
            })
    @DisplayName("that stops every command is not taken for a command that is withheld")
    void notWithheld(String words) {
        assertThat(RedisErrors.isWithheld(RedisErrors.translate(new JedisDataException(words))))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "ttl, 9999999999999999999",
        "tries, 9999999999999999999",
        "fence, 9999999999999999999",
        "nonce, short",
        "owner, ''",
        "pre, 7",
        "line, 0123"
    })
    @DisplayName("X06 says which record of ours is damaged")
    void damaged(String field, String value) {
        Key key = Ask.key();
        Ask.take(store, key);
        redis.ask("HSET", redis.prefix + key, field, value);
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.find(key))
                .isNotInstanceOf(StoreUnavailableException.class)
                .withMessageContaining(key.value())
                .withMessageContaining("damaged");
        redis.ask("DEL", redis.prefix + key);
    }
}
