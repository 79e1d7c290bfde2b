package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/**
 * How far the run behind a record got: all that outlives a single attempt.
 *
 * @param attempts grants since the record was settled, wiped or made
 * @param fingerprint which request the run is for, if it said so
 * @param predecessor from whom the present holder took over
 * @param payload the result of a settled run, or the checkpoint of one under way
 */
public record Progress(
        int attempts,
        @Nullable String fingerprint,
        @Nullable Predecessor predecessor,
        @Nullable Payload payload) {
    /** Nothing happened yet. */
    public static final Progress NONE = new Progress(0, null, null, null);

    Progress nextAttempt(@Nullable String print, @Nullable Predecessor from) {
        int next = attempts == Integer.MAX_VALUE ? attempts : attempts + 1;
        return new Progress(next, print != null ? print : fingerprint, from, payload);
    }

    Progress withPayload(@Nullable Payload bytes) {
        return new Progress(attempts, fingerprint, predecessor, bytes);
    }
}
