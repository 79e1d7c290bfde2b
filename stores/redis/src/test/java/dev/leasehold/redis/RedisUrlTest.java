package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import dev.leasehold.tck.Ask;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.HostAndPort;

@DisplayName("A Redis by its URL")
class RedisUrlTest {
    private static RedisUrl parse(String text) {
        return RedisUrl.of(StoreUrl.of(text));
    }

    @Test
    @DisplayName("has a host, and everything else if need be")
    void parts() {
        RedisUrl least = parse("redis://cache");
        assertThat(least.addresses()).containsExactly(new HostAndPort("cache", 6379));
        assertThat(least.user()).isNull();
        assertThat(least.password()).isNull();
        assertThat(least.isEncrypted() || least.isCluster()).isFalse();

        RedisUrl most = parse("rediss://app:p%40ss:word@[::1]:7000/3?prefix=a%26b:&accept=eviction,lost-writes");
        assertThat(most.addresses()).containsExactly(new HostAndPort("::1", 7000));
        assertThat(most.user()).isEqualTo("app");
        assertThat(most.password()).isEqualTo("p@ss:word");
        assertThat(most.database()).isEqualTo(3);
        assertThat(most.isEncrypted()).isTrue();
        assertThat(most.settings()).containsEntry("prefix", "a&b:");
        assertThat(most.accepted()).containsExactlyInAnyOrder("eviction", "lost-writes");
    }

    @Test
    @DisplayName("may be an address with a zone")
    void zone() {
        assertThat(parse("redis://[fe80::1%eth0]:6379").addresses())
                .containsExactly(new HostAndPort("fe80::1%eth0", 6379));
    }

    @Test
    @DisplayName("without a user or password has none, and not an empty one")
    void emptyLogin() {
        RedisUrl url = parse("redis://:@cache");
        assertThat(url.user()).isNull();
        assertThat(url.password()).isNull();
    }

    @Test
    @DisplayName("may be a cluster, of which some nodes are named")
    void cluster() {
        RedisUrl url = parse("rediss-cluster://:secret@a:7000,b,c:7002/?prefix=x");
        assertThat(url.isCluster() && url.isEncrypted()).isTrue();
        assertThat(url.password()).isEqualTo("secret");
        assertThat(url.user()).isNull();
        assertThat(url.addresses())
                .containsExactly(new HostAndPort("a", 7000), new HostAndPort("b", 6379), new HostAndPort("c", 7002));
    }

    @Test
    @DisplayName("may have its user and password beside it")
    void userBesideIt() {
        RedisUrl url = RedisUrl.of(StoreUrl.of("redis://x:y@cache").withUser("ann", "secret"));
        assertThat(url.user()).isEqualTo("ann");
        assertThat(url.password()).isEqualTo("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "QXJ/ZKW",
                "QXJ@ZKW",
                "QXJ@ZKW/1",
                "QXJ?@ZKW",
                "@QXJZKW@",
                ":QXJ:ZKW:",
                "QXJ;ZKW&x=1",
                "QXJ ZKW#",
                "QXJ\\[ZKW]",
                "QXJ+ZKW",
                "QXJ密ZKW🔑"
            })
    @DisplayName("has the password that stands there, whatever characters it has, and shows none of it")
    void hostilePasswords(String password) {
        for (String place : List.of("redis://:%s@cache", "rediss-cluster://me:%s@a:7000,b/?prefix=x")) {
            String text = place.replace("%s", password);
            assertThat(parse(text).password()).isEqualTo(password);
            assertThat(parse(text).addresses()).hasSize(place.contains(",") ? 2 : 1);
            assertThat(StoreUrl.of(text).toString()).doesNotContain("QXJ").doesNotContain("ZKW");
            assertThat(parse(text).toString()).doesNotContain("QXJ").doesNotContain("ZKW");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis://:s3cret%zzet@cache", "redis://:s3cret%2@cache", "redis://me%zz:s3cret@cache"})
    @DisplayName("with a % that begins no encoded character is refused, and neither the message nor a cause quotes it")
    void badEncoding(String text) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Stores.open(text))
                .withMessageContaining("%25")
                .satisfies(refusal -> {
                    StringWriter trace = new StringWriter();
                    refusal.printStackTrace(new PrintWriter(trace, true));
                    assertThat(trace.toString()).doesNotContain("s3cret");
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis:cache",
                "redis://",
                "redis://:s3cret@",
                "redis://a,b",
                "redis://:s3cret@a/x",
                "redis://a:123456",
                "redis://a:99999",
                "redis://a:0",
                "redis-cluster://a/1",
                "redis://a?timeout=5",
                "redis://a?prefix"
            })
    @DisplayName("that cannot be one is refused, without its password")
    void refused(String text) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Stores.open(text))
                .withMessageContaining("redis")
                .withMessageNotContaining("s3cret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://cache:1?password=QXJ@ZKW",
                "redis://cache:1/0?user=u&password=QXJ@ZKW",
                "redis-cluster://a:1,b?prefix=x&password=QXJ@ZKW:6379",
                "redis://cache?prefix=QXJ@ZKW"
            })
    @DisplayName("with an @ in a setting is refused, and no part of the setting is taken for a host or shown")
    void atInASetting(String text) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Stores.open(text))
                .withMessageContaining("%40")
                .satisfies(refusal -> {
                    StringWriter trace = new StringWriter();
                    refusal.printStackTrace(new PrintWriter(trace, true));
                    assertThat(trace.toString()).doesNotContain("QXJ").doesNotContain("ZKW");
                });
    }

    @Test
    @DisplayName("opens a store, and stores with other prefixes have nothing to do with it")
    void prefixes() {
        TestRedis redis = TestRedis.shared();
        String url = redis.server.url() + "/?prefix=";
        try (LeaseStore one = Stores.open(url + redis.prefix.replace(" ", "%20"));
                LeaseStore other = Stores.open(url + "other-" + redis.prefix.replace(" ", "%20"))) {
            Key key = Ask.key();
            Ask.take(one, key);
            assertThat(other.find(key)).isEmpty();
            Ask.take(other, key);
            Ask.take(other, Ask.key());
            assertThat(one.list(ListRequest.of("")).records()).hasSize(1);
            assertThat(other.list(ListRequest.of("")).records()).hasSize(2);
        }
    }
}
