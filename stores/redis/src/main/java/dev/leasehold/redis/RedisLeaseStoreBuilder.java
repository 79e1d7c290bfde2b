package dev.leasehold.redis;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.wire.Lanes;
import dev.leasehold.wire.Listener;
import dev.leasehold.wire.WakeUps;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Settings of a {@link RedisLeaseStore}. The defaults are right for nearly everybody. */
public final class RedisLeaseStoreBuilder {
    /** What all names in Redis begin with, unless another prefix is given. */
    public static final String PREFIX = "leasehold:";

    private final BiFunction<Integer, Duration, Nodes> nodes;
    private final String name;
    private final @Nullable RedisUrl url;
    private String prefix = PREFIX;
    private int connections = 4;
    private Duration callLimit = Duration.ofSeconds(5);
    private boolean acceptsEviction;
    private boolean acceptsLostWrites;

    /** One server, or whichever one the source's connections lead to. */
    RedisLeaseStoreBuilder(Supplier<Connection> source) {
        this.name = "redis";
        this.url = null;
        this.nodes = (most, limit) -> new OneNode(new Node(source, most, limit));
    }

    RedisLeaseStoreBuilder(RedisUrl url) {
        this.name = url.isCluster() ? "redis-cluster" : "redis";
        this.url = url;
        this.nodes = (most, limit) -> nodes(url, most, limit);
        this.prefix = url.settings().getOrDefault("prefix", PREFIX);
        this.acceptsEviction = url.accepted().contains("eviction");
        this.acceptsLostWrites = url.accepted().contains("lost-writes");
    }

    RedisLeaseStoreBuilder(Set<HostAndPort> seeds, JedisClientConfig config) {
        this.name = "redis-cluster";
        this.url = null;
        this.nodes = (most, limit) ->
                new Cluster(seeds, address -> new Node(() -> new Connection(address, config), most, limit), limit);
    }

    private static Nodes nodes(RedisUrl url, int most, Duration limit) {
        JedisClientConfig settings = new UrlSettings(url, limit);
        return url.isCluster()
                ? new Cluster(
                        url.addresses(),
                        address -> new Node(() -> new Connection(address, settings), most, limit),
                        limit)
                : new OneNode(
                        new Node(() -> new Connection(url.addresses().iterator().next(), settings), most, limit));
    }

    /**
     * What all names in Redis begin with; default {@value #PREFIX}. A record is at the prefix and its key. Stores with
     * different prefixes have nothing to do with each other, unless one prefix begins with the other.
     */
    public RedisLeaseStoreBuilder prefix(String text) {
        this.prefix = text;
        return this;
    }

    /**
     * How many connections the verbs share, for each node of a cluster; default 4. One more is kept for renewals, and
     * another listens for wake-ups once somebody waits.
     */
    public RedisLeaseStoreBuilder connections(int most) {
        this.connections = Lanes.checkMost(most);
        return this;
    }

    /** How long a call may take; default 5 s. */
    public RedisLeaseStoreBuilder callLimit(Duration limit) {
        this.callLimit = Lanes.checkLimit(limit);
        return this;
    }

    /**
     * Opens the store although the server may evict leases when its memory is full: then somebody else is granted what
     * is still held. Fences grow all the same.
     */
    public RedisLeaseStoreBuilder acceptingEviction() {
        this.acceptsEviction = true;
        return this;
    }

    /** No warning that a crash, a restart or a failover of this server may forget leases. */
    public RedisLeaseStoreBuilder acceptingLostWrites() {
        this.acceptsLostWrites = true;
        return this;
    }

    /** The way to the server, without a store. */
    Redis redis() {
        return new Redis(nodes.apply(connections, callLimit));
    }

    /**
     * Opens the store.
     *
     * @throws StoreUnavailableException if the server cannot be reached
     * @throws StoreException if it refuses the user, the password or the database, has no TLS where the URL asks for it, is
     *     too old, or has a setting that breaks a promise
     */
    public RedisLeaseStore open() {
        if (url != null && url.isEncrypted()) {
            TlsCheck.refusePlain(url.addresses().iterator().next());
        }
        Redis redis = redis();
        Keyspace keys = new Keyspace(prefix);
        WakeUps wakeUps = new WakeUps();
        boolean isOpen = false;
        try {
            new StartChecks(redis, acceptsEviction, acceptsLostWrites).run();
            RedisLeaseStore store = new RedisLeaseStore(
                    name, redis, keys, wakeUps, listener(redis.nodes, keys, wakeUps), callLimit.multipliedBy(2));
            isOpen = true;
            return store;
        } catch (StoreUnavailableException e) {
            if (url != null && !url.isEncrypted() && e.getCause() instanceof JedisConnectionException) {
                TlsCheck.refuseEncrypted(url.addresses().iterator().next(), e);
            }
            throw e;
        } finally {
            if (!isOpen) {
                redis.close();
            }
        }
    }

    /** Any node of a cluster will do; if one does not, the next may. */
    private Listener listener(Nodes nodes, Keyspace keys, WakeUps wakeUps) {
        byte[] channel = keys.channel(wakeUps.node());
        AtomicInteger turn = new AtomicInteger();
        return new Listener(
                "Redis",
                () -> {
                    List<Node> all = nodes.all();
                    return new RedisChannel(all.get(turn.getAndIncrement() % all.size()), channel, callLimit);
                },
                wakeUps,
                callLimit);
    }
}
