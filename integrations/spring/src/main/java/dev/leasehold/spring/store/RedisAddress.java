package dev.leasehold.spring.store;

import dev.leasehold.spring.start.StartException;
import dev.leasehold.store.StoreUrl;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Reads where a connection factory of the application's leads. */
final class RedisAddress {
    private RedisAddress() {}

    /**
     * The URL of the server or cluster, with its login beside it.
     *
     * @throws StartException if the factory leads to something that no URL says
     */
    static StoreUrl of(RedisConnectionFactory factory) {
        if (factory instanceof JedisConnectionFactory jedis && jedis.getSentinelConfiguration() == null) {
            return url(jedis.getClusterConfiguration(), jedis.getStandaloneConfiguration(), jedis.isUseSsl());
        }
        if (factory instanceof LettuceConnectionFactory lettuce
                && lettuce.getSentinelConfiguration() == null
                && lettuce.getSocketConfiguration() == null) {
            return url(lettuce.getClusterConfiguration(), lettuce.getStandaloneConfiguration(), lettuce.isUseSsl());
        }
        throw unknown(factory);
    }

    private static StoreUrl url(
            @Nullable RedisClusterConfiguration cluster,
            @Nullable RedisStandaloneConfiguration one,
            boolean isEncrypted) {
        String scheme = isEncrypted ? "rediss" : "redis";
        if (cluster != null) {
            String nodes = cluster.getClusterNodes().stream()
                    .map(node -> host(String.valueOf(node.getHost())) + ":" + node.getPort())
                    .collect(Collectors.joining(","));
            return withLogin(scheme + "-cluster://" + nodes, cluster.getUsername(), cluster.getPassword());
        }
        RedisStandaloneConfiguration server = Objects.requireNonNull(one);
        String address = host(server.getHostName()) + ":" + server.getPort() + "/" + server.getDatabase();
        return withLogin(scheme + "://" + address, server.getUsername(), server.getPassword());
    }

    private static String host(String name) {
        return name.contains(":") && !name.startsWith("[") ? "[" + name + "]" : name;
    }

    private static StoreUrl withLogin(String url, @Nullable String user, RedisPassword password) {
        return StoreUrl.of(url)
                .withUser(user, password.toOptional().map(String::new).orElse(null));
    }

    private static StartException unknown(RedisConnectionFactory factory) {
        return new StartException(
                "Leasehold cannot read from the bean of type "
                        + factory.getClass().getName()
                        + " which server it leads to: it is no plain server and no cluster.",
                "Set leasehold.store-url to redis://host:port, or define a bean of type LeaseStore. For Sentinel, it is"
                        + " RedisLeaseStore.builder(pool::getResource).open() on a pool of Jedis.",
                null);
    }
}
