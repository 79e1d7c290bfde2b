package dev.leasehold.redis;

import dev.leasehold.wire.Lanes;
import dev.leasehold.wire.Openings;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** Opens connections to one server, or takes them from the user's pool, and knows what their errors mean. */
final class RedisSource implements Lanes.LaneSource<RedisLane, JedisException> {
    private final Duration callLimit;
    private final Openings<RedisLane> openings;

    RedisSource(Supplier<Connection> connections, Duration callLimit) {
        this.callLimit = callLimit;
        this.openings = new Openings<>(() -> new RedisLane(connections.get(), (int) callLimit.toMillis()));
    }

    @Override
    public @Nullable RedisLane open(Duration atMost, BooleanSupplier isServed, Consumer<Optional<RedisLane>> taker) {
        try {
            return openings.open(atMost, isServed, taker).orElse(null);
        } catch (TimeoutException e) {
            throw new JedisConnectionException("No connection could be had within " + callLimit.toMillis() + " ms.", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof JedisException cause ? cause : new JedisException(e.getCause());
        }
    }

    @Override
    public Class<JedisException> errors() {
        return JedisException.class;
    }

    @Override
    public boolean isHarmless(JedisException error, RedisLane lane) {
        return RedisErrors.isHarmless(error);
    }

    @Override
    public boolean isLost(JedisException error) {
        return RedisErrors.isLost(error);
    }

    @Override
    public String plural() {
        return "Redis connections";
    }

    @Override
    public void close() {
        openings.close();
    }
}
