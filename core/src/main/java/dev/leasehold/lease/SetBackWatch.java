package dev.leasehold.lease;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Watches holders whose expiry lies further off than their TTL, because the store's clock was set back. One that has not
 * moved for a whole TTL of ours is gone, whatever the store thinks: no renewal can have reached it meanwhile.
 */
final class SetBackWatch {
    private final Settings settings;
    private final Map<Key, Sighting> sightings = new HashMap<>();

    SetBackWatch(Settings settings) {
        this.settings = settings;
    }

    /** A holder as it was first seen: the store looked at it at some moment between a request and its answer. */
    private record Sighting(Fence fence, long sent, long answered, long remaining, boolean isGone) {
        /** Whether nothing but time happened to the record between then and now, nor to the store's clock. */
        boolean isUnmoved(AcquireResult.Held held, long sentNow, long now, long tolerance) {
            long most = remaining - (sentNow - answered) + tolerance;
            long least = remaining - (now - sent) - tolerance;
            long seen = held.remaining().toNanos();
            return fence.equals(held.fence()) && least <= seen && seen <= most;
        }

        Sighting gone() {
            return new Sighting(fence, sent, answered, remaining, true);
        }
    }

    /** Whether a holder has just turned out to be gone, so that asking again is of use. */
    boolean findsGone(Key key, AcquireResult.Held held, Moment sent, Moment now) {
        if (held.remaining().compareTo(held.ttl()) <= 0) {
            end(key);
            return false;
        }
        long ttl = held.ttl().toNanos();
        long margin = settings.marginNanos(ttl);
        Sighting first = sightings.get(key);
        if (first == null || !first.isUnmoved(held, sent.nanos(), now.nanos(), margin)) {
            long remaining = held.remaining().toNanos();
            sightings.put(key, new Sighting(held.fence(), sent.nanos(), now.nanos(), remaining, false));
            return false;
        }
        if (first.isGone() || sent.nanos() - first.answered() < ttl + 2 * margin) {
            return false;
        }
        sightings.put(key, first.gone());
        return true;
    }

    /** The fence of a holder that is gone although the store thinks that it has time left. */
    @Nullable
    Fence gone(Key key) {
        Sighting sighting = sightings.get(key);
        return sighting != null && sighting.isGone() ? sighting.fence() : null;
    }

    /** The record changed hands, or makes sense again. */
    void end(Key key) {
        sightings.remove(key);
    }
}
