package dev.leasehold.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import redis.clients.jedis.exceptions.JedisDataException;

/** The servers that have the records: one, or those of a cluster. */
interface Nodes extends AutoCloseable {
    /** Keys with the same number may stand in one call. */
    int slot(byte[] key);

    /** Puts together what may stand in one call, at most so many. */
    default <T> List<List<T>> groups(List<T> things, Function<T, byte[]> key, int most) {
        Map<Integer, List<T>> open = new HashMap<>();
        List<List<T>> groups = new ArrayList<>();
        for (T thing : things) {
            int slot = slot(key.apply(thing));
            List<T> group = open.get(slot);
            if (group == null || group.size() == most) {
                group = new ArrayList<>();
                open.put(slot, group);
                groups.add(group);
            }
            group.add(thing);
        }
        return groups;
    }

    /** Who has the keys of this slot. */
    Node owner(int slot);

    /** All that have records. */
    List<Node> all();

    /** Where to ask instead, if the answer says so. */
    Optional<Detour> detour(JedisDataException answer);

    /** Somebody gave no answer. */
    void failed();

    @Override
    void close();

    /** Another node, and whether it must be told that it was named by the owner. */
    record Detour(Node node, boolean isAsking) {}
}
