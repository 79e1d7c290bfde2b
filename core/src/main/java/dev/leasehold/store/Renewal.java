package dev.leasehold.store;

import java.time.Duration;

/** A lease that was still its holder's when {@link LeaseStore#renew} reached it, and how long it lives now. */
public record Renewal(LeaseRef lease, Duration remaining) {}
