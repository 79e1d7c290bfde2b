package dev.leasehold.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;

/**
 * The settings of connections that the store opens by URL.
 *
 * <p>Implements Jedis's interface instead of using its builder, because the builder of Jedis 7 cannot turn off the
 * negotiation of the protocol, which Jedis 8 does by default and servers before Redis 6 do not understand.
 */
final class UrlSettings implements JedisClientConfig {
    private final RedisUrl url;
    private final int limitMillis;
    private final @Nullable SslOptions encryption;

    UrlSettings(RedisUrl url, Duration limit) {
        this.url = url;
        this.limitMillis = (int) limit.toMillis();
        this.encryption = url.isEncrypted()
                ? SslOptions.builder().sslVerifyMode(SslVerifyMode.FULL).build()
                : null;
    }

    /** Only Jedis 8 asks this. Jedis 7 keeps the server's default protocol if no other is named. */
    @Override
    public boolean isAutoNegotiateProtocol() {
        return false;
    }

    @Override
    public int getConnectionTimeoutMillis() {
        return limitMillis;
    }

    @Override
    public int getSocketTimeoutMillis() {
        return limitMillis;
    }

    @Override
    public @Nullable String getUser() {
        return url.user();
    }

    @Override
    public @Nullable String getPassword() {
        return url.password();
    }

    @Override
    public int getDatabase() {
        return url.database();
    }

    @Override
    public String getClientName() {
        return "leasehold";
    }

    @Override
    public @Nullable SslOptions getSslOptions() {
        return encryption;
    }
}
