package dev.leasehold.lease;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Watches holders whose expiry lies further off than their TTL, because the store's clock was set back. One that has not
 * moved for a whole TTL of ours is gone, whatever the store thinks: no renewal can have reached it meanwhile. A caller
 * with a lock delay waits for that time too.
 */
final class SetBackWatch {
    /** So many keys are watched at most. The one watched for the longest time is dropped; its holder is found gone later. */
    private static final int MOST_KEYS = 10_000;

    private final Settings settings;
    private final Map<Key, Sighting> sightings = new LinkedHashMap<>();

    SetBackWatch(Settings settings) {
        this.settings = settings;
    }

    /** A holder as it was first seen: the store looked at it at some moment between a request and its answer. */
    private record Sighting(Fence fence, long sent, long answered, long remaining, long ttl, long unmovedFor) {
        /** Whether nothing but time happened to the record between then and now, nor to the store's clock. */
        boolean isUnmoved(AcquireResult.Held held, long sentNow, long now, long tolerance) {
            long most = remaining - (sentNow - answered) + tolerance;
            long least = remaining - (now - sent) - tolerance;
            long seen = held.remaining().toNanos();
            return fence.equals(held.fence()) && least <= seen && seen <= most;
        }

        Sighting seenAgain(long sentNow) {
            return new Sighting(fence, sent, answered, remaining, ttl, Math.max(unmovedFor, sentNow - answered));
        }
    }

    private boolean isGone(Sighting sighting, Duration lockDelay) {
        long margin = settings.marginNanos(sighting.ttl());
        return sighting.unmovedFor() - sighting.ttl() - 2 * margin >= lockDelay.toNanos();
    }

    /**
     * Returns whether a holder has just turned out to be gone to callers with this lock delay: asking again is of use
     * then.
     */
    boolean findsGone(Key key, AcquireResult.Held held, Duration lockDelay, Moment sent, Moment now) {
        if (held.remaining().compareTo(held.ttl()) <= 0) {
            end(key);
            return false;
        }
        long ttl = held.ttl().toNanos();
        long margin = settings.marginNanos(ttl);
        Sighting first = sightings.get(key);
        if (first == null || !first.isUnmoved(held, sent.nanos(), now.nanos(), margin)) {
            long remaining = held.remaining().toNanos();
            sightings.put(key, new Sighting(held.fence(), sent.nanos(), now.nanos(), remaining, ttl, 0));
            if (sightings.size() > MOST_KEYS) {
                end(sightings.keySet().iterator().next());
            }
            return false;
        }
        Sighting again = first.seenAgain(sent.nanos());
        sightings.put(key, again);
        return isGone(again, lockDelay) && !isGone(first, lockDelay);
    }

    /** The fence of a holder that is gone, to callers with this lock delay, although the store says it has time left. */
    @Nullable
    Fence gone(Key key, Duration lockDelay) {
        Sighting sighting = sightings.get(key);
        return sighting != null && isGone(sighting, lockDelay) ? sighting.fence() : null;
    }

    /** The number of watched keys. */
    int size() {
        return sightings.size();
    }

    /** The record changed hands, or makes sense again. */
    void end(Key key) {
        sightings.remove(key);
    }
}
