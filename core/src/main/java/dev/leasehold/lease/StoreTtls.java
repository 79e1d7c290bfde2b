package dev.leasehold.lease;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The TTLs that the store may have for a lease: the one that it confirmed, and those that were asked for and not answered,
 * which it may take over late. A lease is valid for no longer than the smallest of them, and may be held in the store for as
 * long as the largest.
 *
 * <p>Requests are known by the number of their sending.
 */
final class StoreTtls {
    /** A few requests may be under way at once. The others are answered no more, and need no entry each. */
    private static final int MOST_UNANSWERED = 16;

    /** The TTL of the options, which a late request to acquire brings back. */
    private final long firstNanos;

    /** By the number of the request, the oldest first. */
    private final Map<Long, Long> unanswered = new LinkedHashMap<>();

    private long leastForgottenNanos = Long.MAX_VALUE;
    private long mostForgottenNanos;
    /** The same, unless it is unknown which one of several confirmed TTLs the store took over last. */
    private long leastConfirmedNanos;

    private long mostConfirmedNanos;
    /** The number of the last renewal that was sent before the store confirmed a TTL. */
    private long confirmedAfter;

    StoreTtls(long firstNanos) {
        this.firstNanos = firstNanos;
        this.leastConfirmedNanos = firstNanos;
        this.mostConfirmedNanos = firstNanos;
    }

    void asked(long number, long ttlNanos) {
        unanswered.put(number, ttlNanos);
        if (unanswered.size() > MOST_UNANSWERED) {
            Iterator<Long> oldest = unanswered.values().iterator();
            long forgotten = oldest.next();
            oldest.remove();
            leastForgottenNanos = Math.min(leastForgottenNanos, forgotten);
            mostForgottenNanos = Math.max(mostForgottenNanos, forgotten);
        }
    }

    /** The store did not take over this TTL, and will not do so late. */
    void unchanged(long number) {
        unanswered.remove(number);
    }

    /**
     * The store has taken over this TTL. If the request for it was under way together with that for another TTL which is
     * confirmed already, the store may have taken over either of them last, until a later renewal tells.
     *
     * @param sent the number of the last renewal that was sent
     */
    void confirmed(long number, long sent) {
        Long ttlNanos = unanswered.remove(number);
        if (ttlNanos != null) {
            boolean isUncertain = number <= confirmedAfter;
            leastConfirmedNanos = isUncertain ? Math.min(leastConfirmedNanos, ttlNanos) : ttlNanos;
            mostConfirmedNanos = isUncertain ? Math.max(mostConfirmedNanos, ttlNanos) : ttlNanos;
            confirmedAfter = sent;
        }
    }

    /** A renewal that was sent after all TTLs were confirmed is answered with the one that the store has. */
    void answered(long number, long remainingNanos) {
        boolean isSince = number > confirmedAfter && unanswered.isEmpty();
        if (leastConfirmedNanos < mostConfirmedNanos && isSince) {
            leastConfirmedNanos = remainingNanos;
            mostConfirmedNanos = remainingNanos;
        }
    }

    /** Returns whether the holder ever asked for another TTL, so that an older answer may tell of more than the present one. */
    boolean mayDiffer() {
        return confirmedAfter > 0 || !unanswered.isEmpty();
    }

    long smallest() {
        return unanswered.values().stream()
                .mapToLong(Long::longValue)
                .reduce(Math.min(leastConfirmedNanos, leastForgottenNanos), Math::min);
    }

    long largest() {
        return unanswered.values().stream()
                .mapToLong(Long::longValue)
                .reduce(Math.max(firstNanos, Math.max(mostConfirmedNanos, mostForgottenNanos)), Math::max);
    }

    /** The largest TTL with which the next renewal may be answered, if no request arrives late. */
    long confirmed() {
        return mostConfirmedNanos;
    }
}
