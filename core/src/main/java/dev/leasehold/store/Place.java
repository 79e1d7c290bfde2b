package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/**
 * A caller's place in the line for a key.
 *
 * @param ttlMicros the TTL it wants
 * @param fingerprint the request it wants to run, if it said so
 * @param sinceMicros when it came, by the store's clock
 * @param untilMicros when its place lapses unless it asks again
 */
public record Place(
        Nonce nonce, Owner owner, long ttlMicros, @Nullable String fingerprint, long sinceMicros, long untilMicros) {}
