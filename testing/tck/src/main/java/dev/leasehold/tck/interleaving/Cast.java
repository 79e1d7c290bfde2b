package dev.leasehold.tck.interleaving;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Place;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The callers of one cell, by their nonces, and the fence and age of its record.
 *
 * @param us the caller whose lease or place the verb is about
 * @param other another holder
 * @param waiter a caller in line
 * @param rival the caller for which the rival acts
 * @param fresh a caller that never asked before
 * @param fence of the record before
 * @param isOurs whether that is our fence; otherwise ours is an older one
 * @param age how old the record is, in microseconds
 */
record Cast(
        Key key, Nonce us, Nonce other, Nonce waiter, Nonce rival, Nonce fresh, Fence fence, boolean isOurs, long age) {
    /** A store on the user's rows, which keep no TTL, renews a lease that it did not grant for as long as this. */
    static final Duration TTL = Duration.ofMinutes(5);

    /** What a lease is renewed with instead. */
    static final Duration OTHER_TTL = Duration.ofMinutes(7);

    static final Duration PLACE_LIFE = Duration.ofSeconds(60);
    static final Duration LOCK_DELAY = Duration.ofMinutes(30);
    static final Duration COOLDOWN = Duration.ofSeconds(60);

    static Cast of(Key key, long seed, Fence fence, boolean isOurs, long age) {
        SplittableRandom random = new SplittableRandom(seed);
        return new Cast(
                key, nonce(random), nonce(random), nonce(random), nonce(random), nonce(random), fence, isOurs, age);
    }

    private static Nonce nonce(SplittableRandom random) {
        return new Nonce(random.nextLong(), random.nextLong());
    }

    /** The lease that we hold, or once held. */
    LeaseRef lease() {
        return new LeaseRef(key, us, isOurs ? fence : Fence.of(fence.value() - 1));
    }

    /** Two more leases of ours, on keys before and after this one. */
    List<LeaseRef> neighbours() {
        return List.of(
                new LeaseRef(Key.of("a" + key.value()), us, fence), new LeaseRef(Key.of("z" + key.value()), us, fence));
    }

    Owner owner(Nonce nonce) {
        if (nonce.equals(us)) {
            return Owner.of("us");
        }
        if (nonce.equals(other)) {
            return Owner.of("other");
        }
        return Owner.of(nonce.equals(waiter) ? "waiter" : nonce.equals(rival) ? "rival" : "fresh");
    }

    /** A place that its caller would refresh if it asked now. */
    Place place(Nonce nonce, long now) {
        long life = PLACE_LIFE.toNanos() / 1_000;
        return new Place(nonce, owner(nonce), TTL.toNanos() / 1_000, null, now - age / 2, now + life / 3);
    }
}
