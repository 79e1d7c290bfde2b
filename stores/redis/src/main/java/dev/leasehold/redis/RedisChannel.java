package dev.leasehold.redis;

import dev.leasehold.wire.Listener;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

/** Hears what is published to a node, on a connection of its own. */
final class RedisChannel implements Listener.Channel {
    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.redis");

    private final Node server;
    private final byte[] name;
    private final long patienceNanos;
    private volatile @Nullable Subscription subscription;
    private volatile boolean isEnded;

    /** @param patience how long to wait for an answer, and how long to trust one */
    RedisChannel(Node server, byte[] name, Duration patience) {
        this.server = server;
        this.name = name;
        this.patienceNanos = patience.toNanos();
    }

    @Override
    public void hear(Listener.Ear ear) {
        Connection connection = server.connect();
        Subscription fresh = new Subscription(connection, ear);
        subscription = fresh;
        try {
            if (!isEnded) {
                fresh.proceed(connection, name);
            }
        } finally {
            connection.setBroken(); // It is of no other use any more, also to a pool.
            connection.close();
        }
    }

    /** As long as it lasts. */
    private final class Subscription extends BinaryJedisPubSub {
        private final Connection connection;
        private final Listener.Ear ear;
        private volatile long heardAt = System.nanoTime();
        private volatile long askedAt = heardAt;

        Subscription(Connection connection, Listener.Ear ear) {
            this.connection = connection;
            this.ear = ear;
        }

        @Override
        public void onSubscribe(byte[] channel, int count) {
            heardAt = System.nanoTime();
            if (!ear.isOpen()) {
                end();
            }
        }

        @Override
        public void onPong(byte @Nullable [] nothing) {
            heardAt = System.nanoTime();
        }

        @Override
        public void onMessage(byte[] channel, byte[] message) {
            heardAt = System.nanoTime();
            ear.told(Bytes.text(message));
        }

        /** Asks whether it hears, unless it has just been asked, and ends it if it did not answer the last time. */
        synchronized void examine() {
            long now = System.nanoTime();
            if (now - askedAt < patienceNanos) {
                return;
            }
            boolean isDeaf = askedAt - heardAt > 0;
            askedAt = now;
            if (isDeaf) {
                end();
            } else {
                ping();
            }
        }

        /** Makes whoever reads from it see that it is over. */
        void end() {
            connection.setBroken();
            try {
                connection.disconnect();
            } catch (JedisException e) {
                LOGGER.log(System.Logger.Level.DEBUG, "Closing a broken connection failed", e);
            }
        }
    }

    @Override
    public void examine() {
        Subscription present = subscription;
        if (present != null) {
            try {
                present.examine();
            } catch (JedisException e) {
                LOGGER.log(System.Logger.Level.DEBUG, "A connection that listens is broken: {0}", e.getMessage());
            }
        }
    }

    @Override
    public void end() {
        isEnded = true;
        Subscription present = subscription;
        if (present != null) {
            present.end();
        }
    }
}
