package dev.leasehold.redis;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreProvider;
import dev.leasehold.store.StoreUrl;
import java.util.Set;

/**
 * Redis by URL.
 *
 * <pre>
 * redis://user:password@host:6379/0?prefix=app:
 * rediss://host                                     encrypted, and the host's certificate must name it
 * redis-cluster://host:7000,host:7001               a cluster; some of its nodes are enough
 * rediss-cluster://host:7000
 * </pre>
 *
 * <p>Trusted is what the JVM trusts: {@code javax.net.ssl.trustStore}. Whoever needs more, such as a certificate of their own
 * to show, hands in connections: {@link RedisLeaseStore#builder(java.util.function.Supplier)}.
 *
 * <p>{@code prefix} is what all names in Redis begin with, {@code leasehold:} unless given. {@code accept=eviction} opens
 * the store although the server may evict leases, {@code accept=lost-writes} ends the warning that it may forget them;
 * both together with a comma in between.
 */
public final class RedisStoreProvider implements StoreProvider {
    @Override
    public Set<String> schemes() {
        return RedisUrl.SCHEMES;
    }

    @Override
    public LeaseStore open(StoreUrl url) {
        return new RedisLeaseStoreBuilder(RedisUrl.of(url)).open();
    }
}
