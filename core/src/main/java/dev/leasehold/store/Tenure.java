package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/**
 * Whose a record is: the holder while it is held, and whoever settled it afterwards.
 *
 * @param ttlMicros what the holder asked for, and gets with each renewal
 * @param sinceMicros when the lease was granted, by the store's clock
 * @param checkpointNumber of the holder's last checkpoint; 0 before the first
 */
public record Tenure(Nonce nonce, @Nullable Owner owner, long ttlMicros, long sinceMicros, int checkpointNumber) {
    /** A tenure without a checkpoint, as every grant begins one. */
    public Tenure(Nonce nonce, @Nullable Owner owner, long ttlMicros, long sinceMicros) {
        this(nonce, owner, ttlMicros, sinceMicros, 0);
    }

    Tenure withTtl(long micros) {
        return new Tenure(nonce, owner, micros, sinceMicros, checkpointNumber);
    }

    Tenure withCheckpoint(int number) {
        return new Tenure(nonce, owner, ttlMicros, sinceMicros, number);
    }
}
