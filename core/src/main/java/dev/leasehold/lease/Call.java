package dev.leasehold.lease;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One call to acquire, from the moment it is made until it has its result. Belongs to {@link Calls}. */
final class Call extends Agenda.Item {
    /** What the call is doing. */
    enum Phase {
        /** Behind another call of this process for the same key. */
        QUEUED,
        /** Letting an earlier lease of the key be given back first. */
        CLEANING,
        /** Its request is under way. */
        ASKING,
        /** Between two requests. */
        PAUSED,
        DONE
    }

    final Key key;
    final Nonce nonce;
    final Owner owner;
    final LeaseOptions options;
    /** Never given to the user, whose continuations must not run on a thread that completes it. */
    final CompletableFuture<Acquisition> result = new CompletableFuture<>();

    final Leases leases;
    private final Calls calls;

    Phase phase = Phase.QUEUED;
    /** When the call was made, by the monotonic clock. */
    long madeAt;

    int attempts;
    int polls;
    long giveUpAt = NEVER;
    /** When the first request left: no place in line of this call can be older. */
    @Nullable
    Moment firstSent;

    /** The fence of the holder that the store named last, and when the request for that answer left. */
    private @Nullable Fence heldFence;

    private @Nullable Moment heldSent;

    Calls.@Nullable AcquireAsk latest;
    /** Whether the store may have a lease or a place in line for it. */
    boolean mayHaveSomething;

    @Nullable
    AcquireResult refusal;

    @Nullable
    Throwable failure;

    @Nullable
    Lease lease;

    Call(Key key, Nonce nonce, Owner owner, LeaseOptions options, Leases leases, Calls calls) {
        this.key = key;
        this.nonce = nonce;
        this.owner = owner;
        this.options = options;
        this.leases = leases;
        this.calls = calls;
    }

    boolean isInLine() {
        return options.waiting() == LeaseOptions.Waiting.IN_LINE;
    }

    /** How long the call has taken until now. */
    Duration waited(Moment now) {
        return Duration.ofNanos(Math.max(0, now.nanos() - madeAt));
    }

    /** The store answered a request of this call: another holder has it, with this fence. */
    void foundHeld(Fence fence, Moment sent) {
        heldFence = fence;
        heldSent = sent;
    }

    /** The latest moment that was certainly before the grant with this fence: fences of grants only grow. */
    Moment sentBeforeGrantOf(Fence fence) {
        Moment later = heldFence != null && heldFence.compareTo(fence) < 0 ? heldSent : null;
        return later != null ? later : Objects.requireNonNull(firstSent);
    }

    AcquireRequest request(Duration placeLife, @Nullable Fence unmoved) {
        return new AcquireRequest(
                key,
                nonce,
                owner,
                options.ttl(),
                options.lockDelay(),
                isInLine() ? placeLife : Duration.ZERO,
                options.ignoresCooldown(),
                options.fingerprint(),
                unmoved);
    }

    @Override
    void due(Moment now) {
        calls.due(this, now);
    }

    /** What a caller that does not wait is given. Cancelling it, or letting it time out, ends the call. */
    final class Handle extends CompletableFuture<Acquisition> {
        /** The call has ended like this. */
        void pass(@Nullable Acquisition acquisition, @Nullable Throwable failure) {
            if (acquisition == null) {
                super.completeExceptionally(failure == null ? new IllegalStateException("no result") : failure);
            } else if (!complete(acquisition)) {
                leases.cancel(Call.this); // The caller has completed the future itself.
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean isCancelled = super.cancel(mayInterruptIfRunning);
            if (isCancelled) {
                leases.cancel(Call.this);
            }
            return isCancelled;
        }

        @Override
        public boolean completeExceptionally(Throwable cause) {
            boolean isEnded = super.completeExceptionally(cause);
            if (isEnded) {
                leases.cancel(Call.this);
            }
            return isEnded;
        }
    }
}
