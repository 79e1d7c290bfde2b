package dev.leasehold.tck.concurrency;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.State;
import dev.leasehold.tck.concurrency.Recorded.NewTtl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What must hold for the calls on one key by the order in which they were called and returned alone, without a model:
 * cheap, and a second opinion. The times are those of the JVM.
 */
final class RealTimeOracles {
    /** A lease that was answered for: the caller may work on the key from the answer until this time is over. */
    private record Validity(Recorded call, Nonce nonce, Fence fence, long from, long until) {}

    private final List<Recorded> calls;
    private final List<Validity> leases = new ArrayList<>();

    /** @param tickMicros the steps of the store's clock, by which a lease may end earlier */
    RealTimeOracles(List<Recorded> calls, long tickMicros) {
        this.calls = calls;
        for (Recorded call : calls) {
            Validity lease = validity(call, tickMicros * 1_000);
            if (lease != null) {
                leases.add(lease);
            }
        }
    }

    /** The first thing that is wrong. */
    Optional<String> violation() {
        return fenceThatGoesBack()
                .or(this::twoHolders)
                .or(this::releasedLeaseThatLives)
                .or(this::withdrawnNonceThatHolds);
    }

    private @Nullable Validity validity(Recorded call, long tickNanos) {
        if (call.request() instanceof AcquireRequest request && call.answer() instanceof Granted granted) {
            return validity(call, request.nonce(), granted.fence(), granted.remaining(), tickNanos);
        }
        return call.renewal()
                .map(renewal -> validity(
                        call, renewal.lease().nonce(), renewal.lease().fence(), renewal.remaining(), tickNanos))
                .orElse(null);
    }

    private Validity validity(Recorded call, Nonce nonce, Fence fence, Duration remaining, long tickNanos) {
        // As the client counts it: from before the request was sent, less a little for clocks that run unevenly.
        long until = call.called() + remaining.toNanos() - tickNanos - remaining.toNanos() / 250;
        for (Recorded other : calls) {
            if (mayEnd(other, nonce)) {
                until = Math.min(until, other.called());
            } else if (other.request() instanceof NewTtl renewal
                    && nonce.equals(other.nonce())
                    && other.returned() > call.called()) {
                // The holder may have made it shorter since.
                long ttlNanos = renewal.ttl().toNanos();
                until = Math.min(until, other.called() + ttlNanos - tickNanos - ttlNanos / 250);
            }
        }
        return new Validity(call, nonce, fence, call.returned(), until);
    }

    /** Whether this call may end a lease of the nonce, whatever it answered. */
    private static boolean mayEnd(Recorded call, Nonce nonce) {
        boolean isEnding = call.request() instanceof ReleaseRequest
                || (call.request() instanceof SettleRequest settle
                        && !settle.settlement().isCheckpoint());
        return isEnding && nonce.equals(call.nonce());
    }

    private Optional<String> fenceThatGoesBack() {
        List<Validity> byReturn = new ArrayList<>(leases);
        byReturn.sort(Comparator.comparingLong(lease -> lease.call().returned()));
        List<Validity> byCall = new ArrayList<>(leases);
        byCall.sort(Comparator.comparingLong(lease -> lease.call().called()));
        Validity largest = null;
        int next = 0;
        for (Validity lease : byCall) {
            while (next < byReturn.size()
                    && byReturn.get(next).call().returned() < lease.call().called()) {
                Validity earlier = byReturn.get(next++);
                largest = largest == null || largest.fence().isOlderThan(earlier.fence()) ? earlier : largest;
            }
            if (largest != null && lease.fence().isOlderThan(largest.fence())) {
                return told("A fence goes back", largest.call(), lease.call());
            }
        }
        return Optional.empty();
    }

    private Optional<String> twoHolders() {
        List<Validity> sorted = new ArrayList<>(leases);
        sorted.removeIf(lease -> lease.from() >= lease.until());
        sorted.sort(Comparator.comparingLong(Validity::from));
        Validity last = null;
        for (Validity lease : sorted) {
            if (last != null && lease.from() < last.until() && !lease.nonce().equals(last.nonce())) {
                return told("Two hold the key at once", last.call(), lease.call());
            }
            last = last == null || last.until() < lease.until() ? lease : last;
        }
        return Optional.empty();
    }

    /** The same nonce may be granted again after others were released, but never under the fence that was released. */
    private Optional<String> releasedLeaseThatLives() {
        for (Recorded release : calls) {
            if (release.answer() != ReleaseResult.RELEASED) {
                continue;
            }
            Fence ended = fenceOf(release);
            for (Validity lease : leases) {
                if (lease.nonce().equals(release.nonce())
                        && lease.fence().equals(ended)
                        && lease.call().called() > release.returned()) {
                    return told("A lease lives after its release", release, lease.call());
                }
            }
        }
        return Optional.empty();
    }

    /** The fence that was released: the one named, or the largest that the nonce was told before. */
    private @Nullable Fence fenceOf(Recorded release) {
        Fence named = ((ReleaseRequest) release.request()).fence();
        return named != null
                ? named
                : leases.stream()
                        .filter(lease -> lease.nonce().equals(release.nonce())
                                && lease.call().returned() < release.called())
                        .map(Validity::fence)
                        .max(Comparator.naturalOrder())
                        .orElse(null);
    }

    private Optional<String> withdrawnNonceThatHolds() {
        for (Recorded withdrawal : calls) {
            if (withdrawal.answer() != ReleaseResult.NOT_HELD
                    || ((ReleaseRequest) withdrawal.request()).fence() != null) {
                continue;
            }
            Nonce nonce = Objects.requireNonNull(withdrawal.nonce());
            boolean isAskedAgain = calls.stream()
                    .anyMatch(call -> call.request() instanceof AcquireRequest
                            && nonce.equals(call.nonce())
                            && call.returned() > withdrawal.called());
            for (Recorded call : isAskedAgain ? List.<Recorded>of() : calls) {
                if (call.called() > withdrawal.returned() && isHeldBy(nonce, call)) {
                    return told("A caller that withdrew holds the key", withdrawal, call);
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isHeldBy(Nonce nonce, Recorded call) {
        LeaseRef holder = call.found()
                .map(LeaseSnapshot::record)
                .filter(record -> record.state() == State.HELD)
                .map(record -> record.ref())
                .orElse(null);
        return holder != null && holder.nonce().equals(nonce);
    }

    private static Optional<String> told(String what, Recorded first, Recorded second) {
        return Optional.of(what + ":\n" + Wording.lines(List.of(first, second)));
    }
}
