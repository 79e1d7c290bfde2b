package dev.leasehold.tck.concurrency;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.AcquireResult.Settled;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One call to a store.
 *
 * @param caller the thread and the store object
 * @param request an {@link AcquireRequest}, a {@link ReleaseRequest}, a {@link SettleRequest}, the {@link LeaseRef} of a
 *     renewal, a {@link NewTtl}, or a {@link Look}
 * @param answer what the store returned; {@code null} if it threw and the outcome is unknown. Of a renewal that of this
 *     lease alone, as an {@code Optional<Renewal>}
 * @param called when, in nanoseconds of the JVM's monotonic clock
 * @param returned {@link Long#MAX_VALUE} if the outcome is unknown
 * @param now bounds of the store's clock at the moment of the decision, in microseconds
 */
record Recorded(String caller, Object request, @Nullable Object answer, long called, long returned, Span now) {
    /**
     * A call of find.
     *
     * @param isAlone whether no other call was under way, so that the line is compared as well
     */
    record Look(Key key, boolean isAlone) {}

    /** A renewal of one lease with another TTL. */
    record NewTtl(LeaseRef lease, Duration ttl) {
        long micros() {
            return Micros.of(ttl);
        }
    }

    Key key() {
        if (request instanceof AcquireRequest acquire) {
            return acquire.key();
        } else if (request instanceof ReleaseRequest release) {
            return release.key();
        } else if (request instanceof SettleRequest settle) {
            return settle.lease().key();
        }
        LeaseRef renewed = renewed();
        return renewed != null ? renewed.key() : ((Look) request).key();
    }

    /** The lease that this call renews; {@code null} if it is another call. */
    @Nullable
    LeaseRef renewed() {
        if (request instanceof NewTtl renewal) {
            return renewal.lease();
        }
        return request instanceof LeaseRef lease ? lease : null;
    }

    /** Whose call it is; {@code null} for a look. */
    @Nullable
    Nonce nonce() {
        if (request instanceof AcquireRequest acquire) {
            return acquire.nonce();
        } else if (request instanceof ReleaseRequest release) {
            return release.nonce();
        } else if (request instanceof SettleRequest settle) {
            return settle.lease().nonce();
        }
        LeaseRef renewed = renewed();
        return renewed == null ? null : renewed.nonce();
    }

    /** The renewal that came back, if this was one and it succeeded. */
    Optional<Renewal> renewal() {
        return answer instanceof Optional<?> found && found.orElse(null) instanceof Renewal renewal
                ? Optional.of(renewal)
                : Optional.empty();
    }

    /** The record that came back, if this was a look and there is one. */
    Optional<LeaseSnapshot> found() {
        return answer instanceof Optional<?> found && found.orElse(null) instanceof LeaseSnapshot snapshot
                ? Optional.of(snapshot)
                : Optional.empty();
    }

    /** The same with this added to both bounds of {@link #now}. */
    Recorded inStoreTime(Span offset) {
        Span shifted = new Span(now.from() + offset.from(), now.to() + offset.to());
        return new Recorded(caller, request, answer, called, returned, shifted);
    }

    boolean isUnknown() {
        return returned == Long.MAX_VALUE;
    }

    /** Every fence that the request or its answer names. */
    Set<Fence> fences() {
        Set<Fence> fences = new TreeSet<>();
        LeaseRef renewed = renewed();
        if (renewed != null) {
            fences.add(renewed.fence());
        } else if (request instanceof SettleRequest settle) {
            fences.add(settle.lease().fence());
        } else if (request instanceof ReleaseRequest release && release.fence() != null) {
            fences.add(release.fence());
        }
        if (answer instanceof AcquireResult result) {
            addFences(result, fences);
        }
        found().ifPresent(snapshot -> {
            fences.add(snapshot.record().fence());
            addFence(snapshot.record().progress().predecessor(), fences);
        });
        return fences;
    }

    private static void addFences(AcquireResult result, Set<Fence> fences) {
        if (result instanceof Granted granted) {
            fences.add(granted.fence());
            addFence(granted.predecessor(), fences);
        } else if (result instanceof Held held) {
            fences.add(held.fence());
        } else if (result instanceof Settled settled) {
            fences.add(settled.fence());
        }
    }

    private static void addFence(@Nullable Predecessor predecessor, Set<Fence> fences) {
        if (predecessor != null) {
            fences.add(predecessor.fence());
        }
    }
}
