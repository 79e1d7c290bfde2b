package dev.leasehold.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a store keeps for one key. Times are microseconds of the store's own clock.
 *
 * @param fence of the last grant
 * @param tenure whose it is; {@code null} while free
 * @param tombstone the nonce that was released last: a late duplicate of its acquire must not take the key again
 * @param expiryMicros until when the state lasts: a lease, a cooldown or an answer. At that moment it is over.
 * @param cooldownMicros how long the last release keeps the key closed, which tells a cooldown from a clock that went back
 * @param line who waits, first come first
 */
public record LeaseRecord(
        Key key,
        Fence fence,
        State state,
        @Nullable Tenure tenure,
        @Nullable Nonce tombstone,
        long expiryMicros,
        long cooldownMicros,
        Progress progress,
        List<Place> line) {
    public LeaseRecord {
        if ((state == State.FREE) != (tenure == null)) {
            throw new IllegalArgumentException("A record is free if and only if nobody has it: key " + key + ".");
        }
        line = List.copyOf(line);
    }

    /** Whether the state lasts no longer at this moment. */
    public boolean isOver(long nowMicros) {
        return expiryMicros <= nowMicros;
    }

    /** Whether the last release keeps the key closed at this moment. */
    public boolean isCooling(long nowMicros) {
        long left = expiryMicros - nowMicros;
        return state == State.FREE && left > 0 && left <= cooldownMicros;
    }

    /** The lease this record was last granted for, while somebody has it. */
    public @Nullable LeaseRef ref() {
        return tenure == null ? null : new LeaseRef(key, tenure.nonce(), fence);
    }

    boolean belongsTo(LeaseRef lease) {
        return lease.equals(ref());
    }

    LeaseRecord with(State newState, @Nullable Tenure holder, long expiry, Progress run) {
        return new LeaseRecord(key, fence, newState, holder, tombstone, expiry, 0, run, line);
    }

    LeaseRecord withExpiry(long expiry) {
        return with(state, tenure, expiry, progress);
    }

    /** Extended by its holder, which confirms a lease that was handed over. */
    LeaseRecord extended(long expiry) {
        return with(state, tenure, expiry, progress.confirmed());
    }

    /** The same record with these in line. */
    public LeaseRecord withLine(List<Place> places) {
        return new LeaseRecord(key, fence, state, tenure, tombstone, expiryMicros, cooldownMicros, progress, places);
    }

    /** The same record under another fence: for stores that number their grants by other means. */
    public LeaseRecord withFence(Fence other) {
        return new LeaseRecord(key, other, state, tenure, tombstone, expiryMicros, cooldownMicros, progress, line);
    }
}
