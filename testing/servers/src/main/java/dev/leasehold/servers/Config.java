package dev.leasehold.servers;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a server is started with.
 *
 * <p>A relaxed server does not wait for the disk, but hands each commit to the operating system before it answers. So
 * both kinds keep what they acknowledged when the process is killed; only the durable one keeps it when the power fails.
 * The data of a relaxed server may lie in memory. PostgreSQL relies on that: it calls {@code fsync} all the same, because
 * Leasehold refuses a server that does not.
 *
 * @param isRelaxed whether to leave out waiting for the disk
 * @param hasMovableClock whether the server's wall clock can be moved while it runs
 * @param settings in the server's own names, and stronger than everything else
 */
public record Config(boolean isRelaxed, boolean hasMovableClock, SortedMap<String, String> settings) {
    /** Copies the settings. */
    public Config {
        settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
    }

    /** Every acknowledged commit is on the disk. For benchmarks, and the default. */
    public static Config durable() {
        return new Config(false, false, new TreeMap<>());
    }

    /** No waiting for the disk. For tests that do not care. */
    public static Config relaxed() {
        return new Config(true, false, new TreeMap<>());
    }

    /** This, with one more setting, such as {@code synchronous_commit} and {@code off}. */
    public Config with(String name, String value) {
        SortedMap<String, String> more = new TreeMap<>(settings);
        more.put(name, value);
        return new Config(isRelaxed, hasMovableClock, more);
    }

    /** This, with a clock for {@link Server#moveClock}. Reading it takes the server longer. */
    public Config withMovableClock() {
        return new Config(isRelaxed, true, settings);
    }
}
