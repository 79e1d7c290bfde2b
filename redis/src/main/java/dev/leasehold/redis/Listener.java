package dev.leasehold.redis;

import dev.leasehold.wire.WakeUps;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Waits on a connection of its own for what is told to this node. If the connection breaks it is made anew; what was told
 * meanwhile is lost, and found by polling.
 *
 * <p>A connection can be dead without a word. So callers who wait have it asked from time to time, and if it does not
 * answer it is replaced.
 */
final class Listener implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.redis");
    private static final long PAUSE_NANOS = 500_000_000;

    private final Nodes nodes;
    private final byte[] channel;
    private final WakeUps wakeUps;
    private final long patienceNanos;
    private final Thread thread;
    private final CompletableFuture<Boolean> first = new CompletableFuture<>();
    private volatile boolean isClosed;
    private volatile @Nullable Ear ear;

    private Listener(Nodes nodes, byte[] channel, WakeUps wakeUps, Duration patience) {
        this.nodes = nodes;
        this.channel = channel;
        this.wakeUps = wakeUps;
        this.patienceNanos = patience.toNanos();
        this.thread = new Thread(this::listen, "leasehold-wake-ups");
        thread.setDaemon(true);
    }

    /** Starts listening, or gives {@code null} if it cannot be had within this time; callers then poll more often. */
    static @Nullable Listener start(Nodes nodes, byte[] channel, WakeUps wakeUps, Duration atMost) {
        Listener listener = new Listener(nodes, channel, wakeUps, atMost);
        listener.thread.start();
        try {
            listener.first.orTimeout(atMost.toNanos(), TimeUnit.NANOSECONDS).join();
        } catch (CompletionException e) {
            listener.close();
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "No wake-ups from Redis, so callers in line poll more often: {0}",
                    e.getCause());
            return null;
        }
        return listener;
    }

    /** One subscription, as long as it lasts. */
    private final class Ear extends BinaryJedisPubSub {
        private final Connection connection;
        private volatile long heardAt = System.nanoTime();
        private volatile long askedAt = heardAt;

        Ear(Connection connection) {
            this.connection = connection;
        }

        @Override
        public void onSubscribe(byte[] name, int count) {
            heardAt = System.nanoTime();
            first.complete(true);
        }

        @Override
        public void onPong(byte @Nullable [] nothing) {
            heardAt = System.nanoTime();
        }

        @Override
        public void onMessage(byte[] name, byte[] message) {
            heardAt = System.nanoTime();
            try {
                WakeUps.parse(Bytes.text(message)).ifPresent(wakeUps::tell);
            } catch (RuntimeException e) {
                LOGGER.log(System.Logger.Level.DEBUG, "A wake-up could not be read", e);
            }
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

    private void listen() {
        for (int turn = 0; !isClosed; turn++) {
            try {
                List<Node> all = nodes.all();
                hear(all.get(turn % all.size()));
            } catch (RuntimeException e) {
                if (first.completeExceptionally(e)) {
                    return;
                }
                if (!isClosed) {
                    LOGGER.log(System.Logger.Level.DEBUG, "Wake-ups from Redis are interrupted: {0}", e.getMessage());
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        }
    }

    /** Returns when it is over, or throws. */
    private void hear(Node node) {
        Connection connection = node.connect();
        Ear fresh = new Ear(connection);
        ear = fresh;
        try {
            if (!isClosed) {
                fresh.proceed(connection, channel);
            }
        } finally {
            connection.setBroken(); // It is of no other use any more, also to a pool.
            connection.close();
        }
    }

    /** Somebody waits, and relies on being told. */
    void examine() {
        Ear present = ear;
        if (present != null) {
            try {
                present.examine();
            } catch (JedisException e) {
                LOGGER.log(System.Logger.Level.DEBUG, "Wake-ups from Redis are interrupted: {0}", e.getMessage());
            }
        }
    }

    @Override
    public void close() {
        isClosed = true;
        Ear present = ear;
        if (present != null) {
            present.end();
        }
        LockSupport.unpark(thread);
    }
}
