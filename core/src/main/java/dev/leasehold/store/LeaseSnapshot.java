package dev.leasehold.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A record as it stood at one moment of the store's clock.
 *
 * @param fields the user's own record; null for Leasehold's own records
 */
public record LeaseSnapshot(
        LeaseRecord record, long nowMicros, @Nullable Fields fields) {
    /** One of Leasehold's own records. */
    public LeaseSnapshot(LeaseRecord record, long nowMicros) {
        this(record, nowMicros, null);
    }

    public Key key() {
        return record.key();
    }

    /** How long the lease, cooldown or answer lasts still; zero if it is over. */
    public Duration remaining() {
        return Micros.toDuration(Math.max(0, record.expiryMicros() - nowMicros));
    }

    /** Since when the present or last holder has the record; zero if nobody has. */
    public Duration heldFor() {
        Tenure tenure = record.tenure();
        return tenure == null ? Duration.ZERO : Micros.toDuration(Math.max(0, nowMicros - tenure.sinceMicros()));
    }

    /** Whether somebody holds a lease that has not expired. */
    public boolean isHeld() {
        return record.state() == State.HELD && !record.isOver(nowMicros);
    }

    /** Whether an answer is there and still kept. */
    public boolean isSettled() {
        return record.state().isSettled() && !record.isOver(nowMicros);
    }
}
