package dev.leasehold.redis;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;

/**
 * What a server is and how it is set up: refused if it breaks what Leasehold promises, and told to the log if it keeps less
 * than one might think.
 */
final class StartChecks {
    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.redis");

    /** The first in which a script may read the clock and then write, and replicas are sent what it wrote. */
    private static final int OLDEST = 5;

    private final Redis redis;
    private final boolean acceptsEviction;
    private final boolean acceptsLostWrites;

    StartChecks(Redis redis, boolean acceptsEviction, boolean acceptsLostWrites) {
        this.redis = redis;
        this.acceptsEviction = acceptsEviction;
        this.acceptsLostWrites = acceptsLostWrites;
    }

    void run() {
        Set<String> losses = new LinkedHashSet<>();
        for (Node node : redis.nodes.all()) {
            Map<String, String> info = info(node, losses);
            checkVersion(info.getOrDefault("redis_version", ""));
            if (info.getOrDefault("role", "").equals("slave")) {
                throw new StoreUnavailableException("This Redis is a replica and takes no writes: name its master.");
            }
            checkEviction(info.getOrDefault("maxmemory_policy", ""));
            losses.addAll(whatMayBeLost(node, info));
        }
        if (!losses.isEmpty() && !acceptsLostWrites) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "Leases in this Redis save work, but only their fences are safe: {0}."
                            + " RedisLeaseStoreBuilder.acceptingLostWrites(), or accept=lost-writes in the URL, ends this"
                            + " warning.",
                    String.join("; ", losses));
        }
    }

    private Map<String, String> info(Node node, Set<String> losses) {
        Map<String, String> info = new HashMap<>();
        try {
            String text = Bytes.text(Objects.requireNonNull(redis.ask(node, Call.of(Command.INFO))));
            for (String line : text.split("\r?\n", -1)) {
                int colon = line.indexOf(':');
                if (colon > 0) {
                    info.put(line.substring(0, colon), line.substring(colon + 1));
                }
            }
        } catch (StoreException e) {
            if (!RedisErrors.isWithheld(e)) {
                throw e;
            }
            losses.add("how it is set up is not known, since INFO is not permitted");
        }
        return info;
    }

    static void checkVersion(String version) {
        int major =
                version.matches("\\d+\\..*") ? Integer.parseInt(version.substring(0, version.indexOf('.'))) : OLDEST;
        if (major < OLDEST) {
            throw new StoreUnsupportedException("Leasehold needs Redis " + OLDEST + " or later, not " + version + ".");
        }
    }

    /**
     * Under {@code allkeys-*}, whatever has not been used for a while may go when memory is short: also a lease that
     * somebody holds. {@code volatile-*} takes only keys that expire by themselves, and none of ours does.
     */
    private void checkEviction(String policy) {
        if (policy.startsWith("allkeys-") && !acceptsEviction) {
            throw new StoreException("This Redis may evict leases that are held, because maxmemory-policy is " + policy
                    + ". Change it (CONFIG SET maxmemory-policy noeviction), or accept the risk with"
                    + " RedisLeaseStore.builder(url).acceptingEviction(), or accept=eviction in the URL.");
        }
    }

    private List<String> whatMayBeLost(Node node, Map<String, String> info) {
        List<String> losses = new ArrayList<>();
        if (info.getOrDefault("aof_enabled", "1").equals("0")) {
            losses.add("a restart forgets leases, because appendonly is no");
        } else {
            String flush = flush(node);
            if (flush.isEmpty()) {
                losses.add("whether a crash forgets leases is not known, since CONFIG is not permitted");
            } else if (!flush.equals("always")) {
                losses.add("a crash forgets the leases of the last second or more, because appendfsync is " + flush);
            }
        }
        if (!info.getOrDefault("connected_slaves", "0").equals("0")) {
            losses.add("a replica that is promoted may not know the latest leases");
        }
        return losses;
    }

    /**
     * The value in an answer to CONFIG GET of one setting: name and value one after the other, or in RESP3 a map of them,
     * which Jedis gives as a list of pairs. Empty if there is none.
     */
    static String setting(@Nullable Object answer) {
        List<?> parts = answer instanceof List<?> list ? list : List.of();
        if (parts.size() == 1 && parts.get(0) instanceof Map.Entry<?, ?> pair) {
            return pair.getValue() == null ? "" : Bytes.text(pair.getValue());
        }
        return parts.size() < 2 ? "" : Bytes.text(parts.get(1));
    }

    private String flush(Node node) {
        try {
            Call ask = Call.of(Command.CONFIG, Bytes.of("GET"), Bytes.of("appendfsync"));
            return setting(redis.ask(node, ask));
        } catch (StoreException e) {
            if (!RedisErrors.isWithheld(e)) {
                throw e;
            }
            return "";
        }
    }
}
