package dev.leasehold.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a holder, or a caller that gives up waiting, asks of {@link LeaseStore#release}.
 *
 * @param fence the fence of the lease, or {@code null} from a caller that does not know whether it was granted one:
 *     whatever its nonce has, a lease or a place in line, ends
 * @param ending what becomes of the record
 * @param cooldown how long the key stays closed to callers that respect it; such a release hands over to nobody
 */
public record ReleaseRequest(Key key, Nonce nonce, @Nullable Fence fence, Ending ending, Duration cooldown) {
    /** What becomes of the record at a release. */
    public enum Ending {
        /** A lock: the record is wiped but for its fence. Only while held. */
        WIPE,
        /** An attempt that failed and may be made again: attempts, fingerprint and checkpoint stay. Only while held. */
        KEEP_ATTEMPTS,
        /** The same as {@link #WIPE}, but also when settled: the answer is forgotten. */
        FORGET
    }

    public ReleaseRequest {
        cooldown = Micros.checkNotNegative("The cooldown", cooldown);
    }

    public static ReleaseRequest of(LeaseRef lease) {
        return new ReleaseRequest(lease.key(), lease.nonce(), lease.fence(), Ending.WIPE, Duration.ZERO);
    }

    /** By the nonce alone: takes the caller out of line, and ends the lease it may have got meanwhile. */
    public static ReleaseRequest withdrawing(Key key, Nonce nonce) {
        return new ReleaseRequest(key, nonce, null, Ending.WIPE, Duration.ZERO);
    }

    public ReleaseRequest withEnding(Ending other) {
        return new ReleaseRequest(key, nonce, fence, other, cooldown);
    }

    public ReleaseRequest withCooldown(Duration time) {
        return new ReleaseRequest(key, nonce, fence, ending, time);
    }
}
