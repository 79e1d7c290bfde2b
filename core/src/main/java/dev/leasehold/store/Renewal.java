package dev.leasehold.store;

import java.time.Duration;

/**
 * A lease that was still its holder's when {@link LeaseStore#renew} reached it, and how long it lives now.
 *
 * @param isExtended false if the record was left as it is, because a transaction of the user's has it locked; the holder
 *     should ask again soon
 */
public record Renewal(LeaseRef lease, Duration remaining, boolean isExtended) {
    /** A lease that was extended. */
    public Renewal(LeaseRef lease, Duration remaining) {
        this(lease, remaining, true);
    }

    /** A lease that could not be extended now, and lives as long as it did. */
    public static Renewal notExtended(LeaseRef lease, Duration remaining) {
        return new Renewal(lease, remaining, false);
    }
}
