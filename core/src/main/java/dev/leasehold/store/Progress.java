package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/**
 * How far the run behind a record got: all that outlives a single attempt.
 *
 * @param tally the attempts since the record was settled, wiped or made, the present one included. Below zero while the
 *     present grant was handed over and its holder has not confirmed it: the holder may be a waiter that died, and such a
 *     grant is no attempt unless its holder acquires, renews or settles. Stores keep the number as it is, with its sign.
 * @param fingerprint which request the run is for, if it said so
 * @param predecessor from whom the present holder took over
 * @param payload the result of a settled run, or the checkpoint of one under way
 */
public record Progress(
        int tally,
        @Nullable String fingerprint,
        @Nullable Predecessor predecessor,
        @Nullable Payload payload) {
    /** Nothing happened yet. */
    public static final Progress NONE = new Progress(0, null, null, null);

    /** The number of the present attempt, or of the last one while the record is free; also if it is not confirmed yet. */
    public int attempts() {
        return Math.abs(tally);
    }

    /** Returns whether the present grant was handed over and its holder has not confirmed it. */
    boolean isUnconfirmed() {
        return tally < 0;
    }

    /** The attempts without an unconfirmed grant. */
    private int made() {
        return isUnconfirmed() ? attempts() - 1 : tally;
    }

    Progress nextAttempt(@Nullable String print, @Nullable Predecessor from) {
        int next = made() == Integer.MAX_VALUE ? made() : made() + 1;
        return new Progress(next, print != null ? print : fingerprint, from, payload);
    }

    /** The next attempt, not confirmed yet. */
    Progress handedOver(@Nullable String print) {
        Progress next = nextAttempt(print, null);
        return new Progress(-next.tally, next.fingerprint, null, payload);
    }

    /** The holder was heard of. */
    Progress confirmed() {
        return isUnconfirmed() ? new Progress(attempts(), fingerprint, predecessor, payload) : this;
    }

    /** The rest that a release leaves of an attempt that may be made again. */
    Progress ended() {
        return new Progress(made(), fingerprint, null, payload);
    }

    Progress withPayload(@Nullable Payload bytes) {
        return new Progress(tally, fingerprint, predecessor, bytes);
    }
}
