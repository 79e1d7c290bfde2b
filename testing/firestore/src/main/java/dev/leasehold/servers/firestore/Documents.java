package dev.leasehold.servers.firestore;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Every document with its recent versions, by name. Used under the engine's lock. */
final class Documents {
    private final NavigableMap<String, NavigableMap<Long, Version>> chains = new TreeMap<>(Names.ORDER);
    /** All versions younger than the history, in the order of their commits. */
    private final Deque<Version> recent = new ArrayDeque<>();

    /** Returns the version that a read at this time sees. */
    Version at(String name, long micros) {
        NavigableMap<Long, Version> chain = chains.get(name);
        Map.Entry<Long, Version> entry = chain == null ? null : chain.floorEntry(micros);
        return entry == null ? Version.missing(name, 0) : entry.getValue();
    }

    Version latest(String name) {
        return at(name, Long.MAX_VALUE);
    }

    void apply(Collection<Version> changes) {
        for (Version version : changes) {
            chains.computeIfAbsent(version.name(), name -> new TreeMap<>()).put(version.updated(), version);
            recent.add(version);
        }
    }

    /** Drops versions that no read at this time or later can see. */
    void forget(long before) {
        while (!recent.isEmpty() && recent.peek().updated() <= before) {
            Version version = recent.remove();
            NavigableMap<Long, Version> chain = chains.get(version.name());
            if (chain == null) {
                continue;
            }
            chain.headMap(version.updated(), false).clear();
            if (!version.exists()) {
                chain.remove(version.updated());
            }
            if (chain.isEmpty()) {
                chains.remove(version.name());
            }
        }
    }

    /** Returns the documents below a name (a collection, a document or the root), in the order of their names. */
    Stream<Version> below(String name, long micros) {
        String prefix = name + "/";
        return chains.tailMap(name, false).keySet().stream()
                .takeWhile(found -> found.startsWith(prefix))
                .map(found -> at(found, micros))
                .filter(Version::exists);
    }

    Stream<Version> all() {
        return chains.keySet().stream().map(this::latest).filter(Version::exists);
    }
}
