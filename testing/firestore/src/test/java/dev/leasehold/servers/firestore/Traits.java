package dev.leasehold.servers.firestore;

import java.util.Map;

/**
 * What the server under test is known for. The suite runs against our own server, or against the one that
 * {@code FIRESTORE_EMULATOR_HOST} names. Tests that need power over the server start ours in either case; rules that
 * Google's emulator does not keep are skipped against it, and only then.
 *
 * @param host the server's host and port; empty for our own, which each test starts
 * @param hasModes whether the concurrency mode can be chosen
 * @param hasTimers whether its time can be set, and it keeps the documented time limits
 * @param needsIndexes whether it refuses queries without a declared index
 * @param hasLimits whether it keeps the limits of sizes and names
 * @param keepsUnchanged whether a write that changes nothing keeps the update time
 */
record Traits(
        String host,
        boolean hasModes,
        boolean hasTimers,
        boolean needsIndexes,
        boolean hasLimits,
        boolean keepsUnchanged) {
    static final Traits TESTED = of(System.getenv());

    private static Traits of(Map<String, String> environment) {
        String host = environment.getOrDefault("FIRESTORE_EMULATOR_HOST", "");
        boolean isOurs = host.isEmpty();
        return new Traits(host, isOurs, isOurs, isOurs, isOurs, isOurs);
    }

    boolean isOurs() {
        return host.isEmpty();
    }
}
