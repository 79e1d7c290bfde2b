package dev.leasehold.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a caller asks of {@link LeaseStore#acquire}.
 *
 * @param nonce names the call; the same through all its retries
 * @param ttl how long the lease lives unless renewed, counted by the store's clock from the moment it decides
 * @param lockDelay how much longer the key stays closed after a lease <em>expired</em> (not after it was released)
 * @param placeLife how long the caller's place in line lives unless it asks again; zero for a caller that won't wait
 * @param ignoresCooldown whether a cooldown left by the last release is passed over
 * @param fingerprint identifies the request behind a run; if the record already belongs to another one, the answer is
 *     {@link AcquireResult.Mismatch}
 * @param unmoved the fence of a holder whose expiry lies further off than its own TTL and that the caller watched for
 *     one TTL by its own clock: the store's clock went back and the holder is gone, so it is treated as expired
 */
public record AcquireRequest(
        Key key,
        Nonce nonce,
        Owner owner,
        Duration ttl,
        Duration lockDelay,
        Duration placeLife,
        boolean ignoresCooldown,
        @Nullable String fingerprint,
        @Nullable Fence unmoved) {
    /** The longest TTL that can be asked for. */
    public static final Duration MAX_TTL = Duration.ofDays(366);

    /** The longest fingerprint, in bytes of UTF-8. */
    public static final int MAX_FINGERPRINT_BYTES = 255;

    public AcquireRequest {
        if (ttl.isZero() || ttl.isNegative()) {
            throw new IllegalArgumentException("The TTL must be positive, not " + ttl + ": key " + key + ".");
        }
        if (ttl.compareTo(MAX_TTL) > 0) {
            throw new IllegalArgumentException("The TTL must be at most " + MAX_TTL.toDays() + " days, not " + ttl
                    + ": key " + key + ". A lease is renewed while it is used, so a short TTL is enough.");
        }
        lockDelay = Micros.checkNotNegative("The lock delay", lockDelay);
        placeLife = Micros.checkNotNegative("The life of a place in line", placeLife);
        if (fingerprint != null) {
            Text.check("A fingerprint", fingerprint, MAX_FINGERPRINT_BYTES);
        }
    }

    /** A request that does not wait and respects a cooldown. */
    public static AcquireRequest of(Key key, Nonce nonce, Owner owner, Duration ttl) {
        return new AcquireRequest(key, nonce, owner, ttl, Duration.ZERO, Duration.ZERO, false, null, null);
    }

    public AcquireRequest withLockDelay(Duration delay) {
        return new AcquireRequest(key, nonce, owner, ttl, delay, placeLife, ignoresCooldown, fingerprint, unmoved);
    }

    /** The same request by a caller who waits: if refused, it stands in line for that long unless it asks again. */
    public AcquireRequest inLineFor(Duration life) {
        return new AcquireRequest(key, nonce, owner, ttl, lockDelay, life, ignoresCooldown, fingerprint, unmoved);
    }

    public AcquireRequest ignoringCooldown() {
        return new AcquireRequest(key, nonce, owner, ttl, lockDelay, placeLife, true, fingerprint, unmoved);
    }

    public AcquireRequest withFingerprint(@Nullable String print) {
        return new AcquireRequest(key, nonce, owner, ttl, lockDelay, placeLife, ignoresCooldown, print, unmoved);
    }

    public AcquireRequest overruling(@Nullable Fence seenUnmoved) {
        return new AcquireRequest(
                key, nonce, owner, ttl, lockDelay, placeLife, ignoresCooldown, fingerprint, seenUnmoved);
    }

    public boolean waits() {
        return !placeLife.isZero();
    }
}
