package dev.leasehold.redis;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.History;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import dev.leasehold.wire.Listener;
import dev.leasehold.wire.WakeUps;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;

/**
 * Leases in Redis, alone or as a cluster; Redis 5 or later.
 *
 * <p>Each verb is one script that decides inside the server, by the server's clock. A record is one hash that never
 * expires by itself.
 *
 * <p><b>What Redis can lose, this store can.</b> A crash loses what was not on the disk yet, a replica that is promoted
 * lacks what had not reached it, {@code FLUSHALL} and eviction lose everything: then a lease may be granted although
 * somebody holds it, for one TTL at most. Fences grow all the same, as long as the server's clock is not behind. So a lease
 * here saves work; what makes it safe is a resource that compares fences.
 *
 * <p>Safe for use by many threads.
 */
public final class RedisLeaseStore implements LeaseStore {
    private final String name;
    private final Redis redis;
    private final Keyspace keys;
    private final WakeUps wakeUps;
    private final Listener listener;
    private final Duration longestCall;
    private final Acquiring acquiring;
    private final Ending ending;
    private final Renewing renewing;
    private final Listing listing;
    private final RedisHistory history;

    RedisLeaseStore(String name, Redis redis, Keyspace keys, WakeUps wakeUps, Listener listener, Duration longestCall) {
        this.name = name;
        this.redis = redis;
        this.keys = keys;
        this.wakeUps = wakeUps;
        this.listener = listener;
        this.longestCall = longestCall;
        this.acquiring = new Acquiring(keys, wakeUps.node());
        this.ending = new Ending(keys);
        this.renewing = new Renewing(redis, keys);
        this.listing = new Listing(redis, keys);
        this.history = new RedisHistory(redis, keys.history);
    }

    /**
     * A store at this URL, such as {@code redis://user:password@host:6379/0}; {@link RedisStoreProvider} knows all forms.
     *
     * @throws dev.leasehold.store.StoreUnavailableException if the server cannot be reached
     * @throws dev.leasehold.store.StoreException if it is too old, or a setting breaks a promise
     */
    public static RedisLeaseStore of(String url) {
        return builder(url).open();
    }

    public static RedisLeaseStoreBuilder builder(String url) {
        return new RedisLeaseStoreBuilder(RedisUrl.of(StoreUrl.of(url)));
    }

    /**
     * On connections of the user's own making: {@code pool::getResource}, for one. The store keeps up to six of them
     * until it is closed, and gives them back then; one that broke it gives back as broken. With a pool that asks
     * Sentinel for the master, the store finds the new one after a failover.
     */
    public static RedisLeaseStoreBuilder builder(Supplier<Connection> source) {
        return new RedisLeaseStoreBuilder(source);
    }

    /** On a cluster of which some nodes are known. The limits of the configuration should not be longer than a call's. */
    public static RedisLeaseStoreBuilder cluster(Set<HostAndPort> some, JedisClientConfig config) {
        return new RedisLeaseStoreBuilder(some, config);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        if (request.waits()) {
            listener.examine();
        }
        return acquiring.result(request, answer(acquiring.call(request)));
    }

    private Object answer(Call call) {
        return Objects.requireNonNull(redis.ask(call));
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        return renewing.renew(leases);
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return renewing.renew(lease, ttl);
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        return Ending.released(answer(ending.call(request)));
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        return Ending.settled(answer(ending.call(request)));
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        return Records.snapshot(key, answer(Call.of(Script.FIND, keys.of(key))));
    }

    /**
     * Walks over all keys of the database, on every node of a cluster, some thousand at a time so that others are served in
     * between: for people, not for programs that ask all the time. Records that come or go meanwhile may be in it or not.
     */
    @Override
    public Page list(ListRequest request) {
        return listing.list(request);
    }

    /**
     * Walks over all keys of the database as {@link #list} does, until it has dropped enough. It touches what has the
     * store's prefix and is a record, and nothing else.
     */
    @Override
    public int purge(Duration retained, int limit) {
        return listing.purge(retained, limit);
    }

    @Override
    public Optional<Subscription> onWakeUp(Consumer<WakeUp> told) {
        return listener.isListening() ? Optional.of(wakeUps.subscribe(told)) : Optional.empty();
    }

    @Override
    public Optional<History> history() {
        return Optional.of(history);
    }

    @Override
    public Duration longestCall() {
        return longestCall;
    }

    /** Closes the store's connections, or gives them back. Leases live on. */
    @Override
    public void close() {
        listener.close();
        redis.close();
    }
}
