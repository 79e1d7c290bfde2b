package dev.leasehold.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One entry of the {@link History}.
 *
 * @param number given by the store; a later entry has a larger one
 * @param atMicros when it happened, in microseconds of the store's clock. Entries of several clients need not be in the
 *     order of their times.
 * @param owner who held the lease, or wanted it; {@code null} if nobody knows
 * @param fence of the lease, or {@code null} if it is not about one
 * @param reason why, in words; may be empty
 * @param actor who did it, if that is not the owner; may be empty
 */
public record HistoryEntry(
        long number,
        long atMicros,
        Key key,
        HistoryKind kind,
        @Nullable Owner owner,
        @Nullable Fence fence,
        String reason,
        String actor) {
    /** When it happened, as the store's clock shows it. */
    public Instant at() {
        return Instant.EPOCH.plus(Micros.toDuration(atMicros));
    }
}
