package dev.leasehold.spring.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.lease.Leases;
import dev.leasehold.redis.RedisLeaseStore;
import dev.leasehold.servers.RedisServer;
import dev.leasehold.store.StoreUrl;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@DisplayName("The application's own Redis")
class OwnRedisTest {
    private static ApplicationContextRunner runner(String client) {
        URI url = URI.create(RedisServer.shared().freshDatabase());
        String password = RedisServer.shared().password();
        return Contexts.plain()
                .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.client-type=" + client,
                        "spring.data.redis.host=" + url.getHost(),
                        "spring.data.redis.port=" + url.getPort(),
                        "spring.data.redis.database=" + url.getPath().substring(1),
                        "spring.data.redis.password=" + password,
                        "leasehold.history=1d");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jedis", "lettuce"})
    @DisplayName("is the store, in its database, whichever client the application has")
    void isTheStore(String client) {
        runner(client).run(context -> {
            assertThat(context.getBean(Leases.class).store()).isInstanceOf(RedisLeaseStore.class);
            assertThat(context.getBean(Leasehold.class).runIfFree("nightly", lease -> {}))
                    .isTrue();
            try (var connection = context.getBean(RedisConnectionFactory.class).getConnection()) {
                assertThat(connection.serverCommands().dbSize()).isPositive();
            }
        });
    }

    @Test
    @DisplayName("beside a DataSource stops the start, until leasehold.store names one of them")
    void twoStores() {
        ApplicationContextRunner both = runner("jedis").withBean(javax.sql.DataSource.class, () -> {
            org.h2.jdbcx.JdbcDataSource source = new org.h2.jdbcx.JdbcDataSource();
            source.setUrl("jdbc:h2:mem:both;DB_CLOSE_DELAY=-1");
            return source;
        });
        both.run(context -> assertThat(Contexts.failure(context))
                .contains("a DataSource and a RedisConnectionFactory")
                .contains("leasehold.store to jdbc or redis"));
        both.withPropertyValues("leasehold.store=redis")
                .run(context ->
                        assertThat(context.getBean(Leases.class).store()).isInstanceOf(RedisLeaseStore.class));
        both.withPropertyValues("leasehold.store=jdbc", "leasehold.create-tables=true")
                .run(context ->
                        assertThat(context.getBean(Leases.class).store().name()).isEqualTo("h2"));
    }

    @Test
    @DisplayName("is no store without the module leasehold-redis")
    void withoutModule() {
        runner("jedis")
                .withClassLoader(new FilteredClassLoader(RedisLeaseStore.class))
                .run(context -> assertThat(Contexts.failure(context)).contains("dev.leasehold:leasehold-redis"));
    }

    @Test
    @DisplayName("is not looked for without Spring Data Redis")
    void withoutSpringData() {
        Contexts.h2()
                .withClassLoader(new FilteredClassLoader("org.springframework.data.redis"))
                .withPropertyValues("leasehold.create-tables=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    @DisplayName("that does not answer is reported")
    void unreachable() {
        Contexts.plain()
                .withBean(
                        RedisConnectionFactory.class,
                        () -> new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", 1)))
                .run(context -> assertThat(Contexts.failure(context)).contains("a RedisConnectionFactory"));
    }

    @Test
    @DisplayName("is found by what the connection factory leads to, also a cluster and with TLS")
    void addresses() {
        RedisStandaloneConfiguration one = new RedisStandaloneConfiguration("cache", 6390);
        one.setDatabase(3);
        one.setUsername("ann");
        one.setPassword("p/w");
        StoreUrl url = RedisAddress.of(new LettuceConnectionFactory(one));
        assertThat(url.text()).isEqualTo("redis://cache:6390/3");
        assertThat(url.user()).contains("ann");
        assertThat(url.password()).contains("p/w");

        assertThat(RedisAddress.of(new JedisConnectionFactory(
                                new RedisStandaloneConfiguration("::1", 6379),
                                JedisClientConfiguration.builder().useSsl().build()))
                        .text())
                .isEqualTo("rediss://[::1]:6379/0");
        assertThat(RedisAddress.of(new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("a:7000"))))
                        .text())
                .isEqualTo("redis-cluster://a:7000");
    }

    @Test
    @DisplayName("behind Sentinel is refused, with the bean to define")
    void sentinel() {
        RedisSentinelConfiguration sentinel =
                new RedisSentinelConfiguration().master("m").sentinel("a", 26379);
        Contexts.plain()
                .withBean(RedisConnectionFactory.class, () -> new LettuceConnectionFactory(sentinel))
                .run(context -> assertThat(Contexts.failure(context)).contains("leasehold.store-url"));
    }

    @Test
    @DisplayName("beside another one, without a primary, stops the start")
    void twoFactories() {
        Contexts.plain()
                .withBean("a", RedisConnectionFactory.class, LettuceConnectionFactory::new)
                .withBean("b", RedisConnectionFactory.class, LettuceConnectionFactory::new)
                .run(context -> assertThat(Contexts.failure(context)).contains("more than one RedisConnectionFactory"));
    }
}
