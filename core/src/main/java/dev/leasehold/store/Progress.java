package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/**
 * How far the run behind a record got: all that outlives a single attempt.
 *
 * @param attempts the attempts since the record was settled, wiped or made, the present one included
 * @param isConfirmed false while the present grant was handed over and its holder has made no request yet. The holder may
 *     be a waiter that died, so this grant is no attempt until its holder acquires, renews or settles.
 * @param fingerprint which request the run is for, if it said so
 * @param predecessor from whom the present holder took over
 * @param payload the result of a settled run, or the checkpoint of one under way
 */
public record Progress(
        int attempts,
        boolean isConfirmed,
        @Nullable String fingerprint,
        @Nullable Predecessor predecessor,
        @Nullable Payload payload) {
    /** Nothing happened yet. */
    public static final Progress NONE = new Progress(0, true, null, null, null);

    /** @throws IllegalArgumentException if there are fewer than no attempts, or none that could be unconfirmed */
    public Progress {
        if (attempts < (isConfirmed ? 0 : 1)) {
            throw new IllegalArgumentException("A record cannot have " + attempts + " attempts"
                    + (isConfirmed ? "." : ", the last of them unconfirmed."));
        }
    }

    /**
     * Attempts and confirmation in one number, for stores that keep them so.
     *
     * @param tally what {@link #tally()} gave
     */
    public static Progress ofTally(
            int tally, @Nullable String fingerprint, @Nullable Predecessor predecessor, @Nullable Payload payload) {
        return new Progress(Math.abs(tally), tally >= 0, fingerprint, predecessor, payload);
    }

    /** The attempts as one number: below zero if the last one is not confirmed. */
    public int tally() {
        return isConfirmed ? attempts : -attempts;
    }

    /** The attempts without an unconfirmed grant. */
    private int made() {
        return isConfirmed ? attempts : attempts - 1;
    }

    Progress nextAttempt(@Nullable String print, @Nullable Predecessor from) {
        int next = made() == Integer.MAX_VALUE ? made() : made() + 1;
        return new Progress(next, true, print != null ? print : fingerprint, from, payload);
    }

    /** The next attempt, not confirmed yet. */
    Progress handedOver(@Nullable String print) {
        Progress next = nextAttempt(print, null);
        return new Progress(next.attempts, false, next.fingerprint, null, payload);
    }

    /** The holder was heard of. */
    Progress confirmed() {
        return isConfirmed ? this : new Progress(attempts, true, fingerprint, predecessor, payload);
    }

    /** The rest that a release leaves of an attempt that may be made again. */
    Progress ended() {
        return new Progress(made(), true, fingerprint, null, payload);
    }

    Progress withPayload(@Nullable Payload bytes) {
        return new Progress(attempts, isConfirmed, fingerprint, predecessor, bytes);
    }
}
