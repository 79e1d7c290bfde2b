package dev.leasehold.benchmarks;

import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The way to Redis that Spring's users have: Lettuce, with one connection for all. */
final class SpringRedis {
    private SpringRedis() {}

    static LettuceConnectionFactory to(Bed bed) {
        RedisBed redis = RedisBed.of(bed);
        RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(redis.host, redis.port);
        configuration.setPassword(RedisPassword.of(redis.password));
        configuration.setDatabase(redis.database);
        LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }
}
