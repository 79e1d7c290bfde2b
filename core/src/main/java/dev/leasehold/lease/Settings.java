package dev.leasehold.lease;

import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.Micros;
import java.time.Duration;

/**
 * The numbers behind the promises. Users have no reason to change them; the simulator shows what happens if one does.
 *
 * @param drift how much faster the store's clock may run than ours: that share of each lease is not used
 * @param leastMargin what is kept back of each lease in any case
 * @param pollWithWakeUp how often at least a caller in line looks for itself although the store wakes it
 * @param shortestPoll the least of the growing intervals of a caller in line that no store wakes
 * @param longestPoll the most of them
 * @param placeLife how long a place in line lives at most without its caller asking again
 * @param batch how many leases are renewed in one request at most
 * @param slowAfter a request for renewal that takes longer no longer keeps the next one waiting
 * @param retained how long records that are over are kept before they are purged
 * @param remembered how long entries of the history are kept
 */
record Settings(
        double drift,
        Duration leastMargin,
        Duration pollWithWakeUp,
        Duration shortestPoll,
        Duration longestPoll,
        Duration placeLife,
        int batch,
        Duration slowAfter,
        Duration retained,
        Duration remembered) {
    static final Settings DEFAULTS = new Settings(
            0.004,
            Duration.ofMillis(50),
            Duration.ofMillis(700),
            Duration.ofMillis(5),
            Duration.ofMillis(200),
            Duration.ofSeconds(6),
            2_048,
            Duration.ofMillis(250),
            Duration.ofDays(7),
            Micros.FOREVER);

    private static final Duration SHORTEST_PLACE_LIFE = Duration.ofSeconds(2);
    private static final int POLLS_PER_PLACE_LIFE = 4;

    /**
     * How long a place in line lives without its caller asking again. The dead are handed leases for as long as their
     * places live, and keep the last one for a while: all that in two TTLs, unless the TTL is very short.
     */
    Duration placeLife(Duration ttl) {
        Duration life = ttl.multipliedBy(2).minus(LeaseRules.HAND_OVER);
        Duration atLeast = life.compareTo(SHORTEST_PLACE_LIFE) < 0 ? SHORTEST_PLACE_LIFE : life;
        return atLeast.compareTo(placeLife) < 0 ? atLeast : placeLife;
    }

    /** How often a caller in line looks for itself although the store wakes it; a place must not lapse meanwhile. */
    Duration pollWithWakeUp(Duration ttl) {
        Duration share = placeLife(ttl).dividedBy(POLLS_PER_PLACE_LIFE);
        return share.compareTo(pollWithWakeUp) < 0 ? share : pollWithWakeUp;
    }

    Settings withMargin(double share, Duration least) {
        return new Settings(
                share,
                least,
                pollWithWakeUp,
                shortestPoll,
                longestPoll,
                placeLife,
                batch,
                slowAfter,
                retained,
                remembered);
    }

    Settings withRetained(Duration time) {
        return keeping(time, remembered);
    }

    Settings withRemembered(Duration time) {
        return keeping(retained, time);
    }

    private Settings keeping(Duration records, Duration entries) {
        return new Settings(
                drift,
                leastMargin,
                pollWithWakeUp,
                shortestPoll,
                longestPoll,
                placeLife,
                batch,
                slowAfter,
                records,
                entries);
    }

    /** How much of a lease is kept back: never less than a set minimum, but never the better half of a short one. */
    long marginNanos(long ttlNanos) {
        return Math.min(Math.max((long) (ttlNanos * drift), leastMargin.toNanos()), ttlNanos / 2);
    }

    /** Until when a lease is valid that had this long to live at some moment after the request was sent. */
    long deadline(long sentNanos, long remainingNanos, long ttlNanos) {
        return sentNanos + (long) (remainingNanos * (1 - drift)) - marginNanos(ttlNanos);
    }
}
