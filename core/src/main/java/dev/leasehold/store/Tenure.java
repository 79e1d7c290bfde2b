package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/**
 * Whose a record is: the holder while it is held, and whoever settled it afterwards.
 *
 * @param ttlMicros what the holder asked for, and gets with each renewal
 * @param sinceMicros when the lease was granted, by the store's clock
 */
public record Tenure(Nonce nonce, @Nullable Owner owner, long ttlMicros, long sinceMicros) {}
