package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.servers.Config;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.store.Stores;
import dev.leasehold.tck.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.util.KeyValue;

@DisplayName("When a store is opened, a Redis")
class StartChecksTest {
    private final TestRedis redis = TestRedis.own(Config.relaxed());

    @AfterEach
    void close() {
        redis.close();
    }

    private RedisLeaseStoreBuilder builder() {
        return RedisLeaseStore.builder(redis.server.url());
    }

    private static void assertOpens(RedisLeaseStoreBuilder builder) {
        try (RedisLeaseStore store = builder.open()) {
            Ask.take(store, Ask.key());
        }
    }

    @Test
    @DisplayName("that speaks RESP3 gives its settings as a map, which is read as the list of RESP2 is")
    void settingsOfBothProtocols() {
        byte[] name = Bytes.of("appendfsync");
        byte[] value = Bytes.of("always");
        assertThat(StartChecks.setting(List.of(name, value))).isEqualTo("always");
        assertThat(StartChecks.setting(List.of(new KeyValue<>(name, value)))).isEqualTo("always");
        assertThat(StartChecks.setting(List.of())).isEmpty();
        assertThat(StartChecks.setting(null)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "allkeys-lfu", "allkeys-random"})
    @DisplayName("F04 that may evict leases is refused, with the fix and the way to accept it")
    void eviction(String policy) {
        redis.ask("CONFIG", "SET", "maxmemory-policy", policy);
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> builder().open())
                .satisfies(refusal -> assertThat(refusal)
                        .hasMessageContainingAll(
                                policy, "CONFIG SET maxmemory-policy noeviction", "acceptingEviction()"));
        assertOpens(builder().acceptingEviction());
        try (LeaseStore store = Stores.open(redis.server.url() + "?accept=eviction")) {
            Ask.take(store, Ask.key());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"volatile-lru", "volatile-ttl", "noeviction"})
    @DisplayName("F04 that evicts only what expires by itself is none the worse: no record does")
    void noEviction(String policy) {
        redis.ask("CONFIG", "SET", "maxmemory-policy", policy);
        assertOpens(builder());
        assertThat(redis.info("db0")).contains("expires=0");
    }

    @Test
    @DisplayName("before 5 is refused")
    void tooOld() {
        assertThatExceptionOfType(StoreUnsupportedException.class)
                .isThrownBy(() -> StartChecks.checkVersion("4.0.14"))
                .withMessageContaining("4.0.14");
        StartChecks.checkVersion("5.0.0");
        StartChecks.checkVersion("255.255.255");
        StartChecks.checkVersion("unknown");
    }

    @ParameterizedTest
    @CsvSource({
        "appendonly, no, a restart forgets leases",
        "appendfsync, everysec, the last second",
        "appendfsync, always, ",
    })
    @DisplayName("that may forget leases is told of once, in plain words")
    void losses(String setting, String value, String words) {
        redis.ask("CONFIG", "SET", setting, value);
        List<String> told = toldWhile(() -> assertOpens(builder()));
        if (words == null) {
            assertThat(told).isEmpty();
        } else {
            assertThat(told).singleElement().asString().contains(words, setting + " is " + value);
        }
        assertThat(toldWhile(() -> assertOpens(builder().acceptingLostWrites())))
                .isEmpty();
    }

    @Test
    @DisplayName("that does not let us read its settings is used all the same, and it is said")
    void noConfig() {
        redis.ask("ACL", "SETUSER", "app", "on", ">secret", "~*", "&*", "+@all", "-config");
        String url = "redis://app:secret@" + redis.server.host() + ":" + redis.server.port();
        List<String> told = toldWhile(() -> assertOpens(RedisLeaseStore.builder(url)));
        assertThat(told).singleElement().asString().contains("CONFIG is not permitted");
        redis.ask("ACL", "SETUSER", "app", "-info");
        told = toldWhile(() -> assertOpens(RedisLeaseStore.builder(url)));
        assertThat(told).singleElement().asString().contains("INFO is not permitted");
    }

    private String url(String scheme, String login, String database) {
        return scheme + "://" + login + redis.server.host() + ":" + redis.server.port() + database;
    }

    private static void assertRefuses(String url, String... words) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> RedisLeaseStore.of(url))
                .isNotInstanceOf(StoreUnavailableException.class)
                .satisfies(refusal -> assertThat(refusal).hasMessageContainingAll(words));
    }

    @Test
    @DisplayName("that refuses the password is not opened, and it is said what to change")
    void wrongPassword() {
        assertRefuses(url("redis", ":QXJZKW@", "/0"), "WRONGPASS", "change them in the URL");
        assertRefuses(url("redis", "nobody:QXJZKW@", ""), "WRONGPASS", "change them in the URL");
        assertRefuses(url("redis", "", ""), "NOAUTH", "redis://user:password@host");
    }

    @Test
    @DisplayName("that has no such database is not opened, and it is said what to change")
    void wrongDatabase() {
        assertRefuses(url("redis", ":" + redis.server.password() + "@", "/9999"), "DB index is out of range", "/0");
    }

    @Test
    @DisplayName("whose port has no TLS is not opened by rediss:, and it is said soon what to change")
    void noTls() {
        long start = System.nanoTime();
        assertRefuses(url("rediss", ":" + redis.server.password() + "@", ""), "TLS", "redis:");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
    }

    private static List<String> toldWhile(Runnable work) {
        List<String> told = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getLevel().equals(Level.WARNING)) {
                    told.add(new SimpleFormatter().formatMessage(entry));
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("dev.leasehold.redis");
        logger.addHandler(handler);
        try {
            work.run();
        } finally {
            logger.removeHandler(handler);
        }
        return told;
    }
}
