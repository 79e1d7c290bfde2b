package dev.leasehold.redis;

import dev.leasehold.store.Key;
import java.util.Arrays;
import java.util.Optional;

/**
 * Where things are in Redis: a record at the prefix and its key. Keys have no control characters, so what begins with one
 * behind the prefix is no record.
 */
final class Keyspace {
    private static final String SPECIAL_GLOB_CHARACTERS = "*?[]\\^-";

    private final String prefix;
    private final byte[] prefixBytes;

    /** The key of the history. */
    final byte[] history;

    /** What the names of the nodes' channels begin with. */
    final byte[] channel;

    /** How many bytes the prefix has. */
    final byte[] prefixLength;

    Keyspace(String prefix) {
        this.prefix = prefix;
        this.prefixBytes = Bytes.of(prefix);
        this.history = Bytes.of(prefix + "\thistory");
        this.channel = Bytes.of(prefix + "\twake:");
        this.prefixLength = Bytes.of(prefixBytes.length);
    }

    byte[] of(Key key) {
        byte[] name = key.utf8();
        byte[] whole = Arrays.copyOf(prefixBytes, prefixBytes.length + name.length);
        System.arraycopy(name, 0, whole, prefixBytes.length, name.length);
        return whole;
    }

    byte[] channel(String node) {
        return Bytes.of(prefix + "\twake:" + node);
    }

    /** Whose record is here; empty if it is none. */
    Optional<Key> key(byte[] place) {
        try {
            return Optional.of(Key.of(Bytes.text(Arrays.copyOfRange(place, prefixBytes.length, place.length))));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** A pattern for all records whose keys begin like this. */
    byte[] pattern(String beginning) {
        StringBuilder pattern = new StringBuilder();
        (prefix + beginning).codePoints().forEach(point -> {
            if (SPECIAL_GLOB_CHARACTERS.indexOf(point) >= 0) {
                pattern.append('\\');
            }
            pattern.appendCodePoint(point);
        });
        return Bytes.of(pattern.append('*').toString());
    }
}
