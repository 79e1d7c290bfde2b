package dev.leasehold.once;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.State;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What became of a call to {@link Once#run}. Only {@link Ran} and {@link Unrecorded} mean that this call did the work.
 *
 * <p>Times are durations, counted from when the store answered; no instant of the store's clock is told.
 *
 * @param <R> what the work gives
 */
public sealed interface Outcome<R> {
    /** This call did the work, and its answer is kept. */
    record Ran<R>(@Nullable R value, Fence fence, int attempt) implements Outcome<R> {}

    /**
     * The work was done before, and this is the answer that was kept.
     *
     * @param fence of the run that gave the answer
     * @param attempts how many attempts the run took; 0 on a record of the user's own, whose count starts again when it is
     *     finished
     * @param keptFor how much longer the answer is kept; {@link Micros#FOREVER} on a record of the user's own, which is kept
     *     until the user changes it
     */
    record Replayed<R>(@Nullable R value, Fence fence, int attempts, Duration keptFor) implements Outcome<R> {
        @Override
        public String toString() {
            return "Replayed[value=" + value + ", fence=" + fence + ", attempts=" + attempts + ", " + kept(keptFor)
                    + "]";
        }
    }

    /**
     * The work failed for good, in this call or before, and the failure is kept as the answer.
     *
     * @param attempts how many attempts the run took; 0 if the failure is replayed from a record of the user's own, whose
     *     count starts again when it is finished
     * @param keptFor how much longer the failure is kept; {@link Micros#FOREVER} on a record of the user's own, which is kept
     *     until the user changes it
     * @param cause what ended the run in this call: what the work threw, or a {@link TerminalException} if no attempt was
     *     left or the run would have gone on hold; {@code null} if the failure is replayed
     */
    record Refused<R>(
            Failure failure,
            Fence fence,
            int attempts,
            Duration keptFor,
            @Nullable Throwable cause) implements Outcome<R> {
        @Override
        public String toString() {
            return "Refused[failure=" + failure + ", fence=" + fence + ", attempts=" + attempts + ", " + kept(keptFor)
                    + ", cause=" + cause + "]";
        }
    }

    /**
     * Another caller holds the lease and does the work now.
     *
     * @param owner who, if the store can tell
     * @param heldFor since when
     * @param retryAfter when to ask again at the latest: the runner's lease ends then unless it is renewed
     */
    record InProgress<R>(@Nullable Owner owner, Fence fence, Duration heldFor, Duration retryAfter)
            implements Outcome<R> {}

    /**
     * The key belongs to another request: the fingerprints differ.
     *
     * @param state how far the other request's run is
     */
    record Mismatch<R>(Fence fence, State state) implements Outcome<R> {}

    /**
     * Nobody knows whether the work was done; nobody runs it until somebody decides by {@link Once#resolve}.
     *
     * @param reason why, for people, cut to 2,000 chars
     * @param cause what the work threw, if it was in this call
     */
    record OnHold<R>(
            String reason,
            Fence fence,
            int attempts,
            @Nullable Throwable cause) implements Outcome<R> {}

    /** The key is closed for a while after its last use. */
    record Cooling<R>(Duration remaining) implements Outcome<R> {}

    /**
     * This call did the work, but its answer is not known to be kept: others may do the work again.
     *
     * @param value what the work gave
     * @param isLeaseLost whether that is because the lease was lost meanwhile; otherwise the store did not answer
     * @param isUsersRecord whether the run is on a record of the user's own. If so, the record may lack the result: run it
     *     again
     */
    record Unrecorded<R>(@Nullable R value, Fence fence, boolean isLeaseLost, boolean isUsersRecord)
            implements Outcome<R> {}

    private static String kept(Duration keptFor) {
        return Micros.isForever(keptFor) ? "kept for ever" : "keptFor=" + keptFor;
    }

    /** The work's value, if there is one and it is not null: ran, replayed or unrecorded. */
    default Optional<R> toOptional() {
        if (this instanceof Ran<R> ran) {
            return Optional.ofNullable(ran.value());
        }
        if (this instanceof Replayed<R> replayed) {
            return Optional.ofNullable(replayed.value());
        }
        return this instanceof Unrecorded<R> unrecorded ? Optional.ofNullable(unrecorded.value()) : Optional.empty();
    }
}
