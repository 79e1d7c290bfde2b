package dev.leasehold.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a store answers to {@link LeaseStore#acquire}. Only {@link Granted} gives a lease. */
public sealed interface AcquireResult {
    /**
     * The lease is the caller's.
     *
     * @param remaining how long it lives, counted from some moment after the request was sent
     * @param attempt how many grants there were since the record was last settled, wiped or made, with this one and
     *     without those that were handed over and never confirmed
     * @param predecessor the holder that let the lease expire, if it was taken over from one. A waiter that was handed a
     *     run and never confirmed it is none.
     * @param checkpoint what an earlier attempt left for the next one
     * @param fields the user's own record as the grant left it; null for Leasehold's own records
     */
    record Granted(
            Fence fence,
            Duration remaining,
            int attempt,
            @Nullable Predecessor predecessor,
            @Nullable Payload checkpoint,
            @Nullable Fields fields)
            implements AcquireResult {
        /** A grant of one of Leasehold's own records. */
        public Granted(
                Fence fence,
                Duration remaining,
                int attempt,
                @Nullable Predecessor predecessor,
                @Nullable Payload checkpoint) {
            this(fence, remaining, attempt, predecessor, checkpoint, null);
        }
    }

    /**
     * Somebody else has it.
     *
     * @param owner who, if the record can tell
     * @param remaining how long still, unless renewed
     * @param ttl what the holder asked for; less than {@code remaining} only if the store's clock went back
     * @param heldFor since when
     * @param inLine whether the caller now stands in line
     */
    record Held(@Nullable Owner owner, Fence fence, Duration remaining, Duration ttl, Duration heldFor, boolean inLine)
            implements AcquireResult {
        /**
         * The record could be granted, but another transaction has it locked. The caller has no place in line and asks
         * again after {@link LeaseRules#LOCKED_RETRY}.
         */
        public static Held locked(Fence fence) {
            return new Held(null, fence, LeaseRules.LOCKED_RETRY, LeaseRules.LOCKED_RETRY, Duration.ZERO, false);
        }

        /** Whether this is the answer of {@link #locked}. */
        public boolean isLocked() {
            return equals(locked(fence));
        }

        /** The same for a caller that was given no place in line. */
        public Held withoutPlace() {
            return new Held(owner, fence, remaining, ttl, heldFor, false);
        }
    }

    /** Nobody has it, but the last release left a cooldown and the caller respects it. */
    record Cooling(Duration remaining) implements AcquireResult {}

    /**
     * The run is over and its answer is kept. On a user's own record the settlement has its fields.
     *
     * @param remaining how long the answer is kept still
     */
    record Settled(Settlement settlement, Fence fence, int attempts, Duration remaining) implements AcquireResult {}

    /** The record belongs to a run of another request. */
    record Mismatch(Fence fence, State state) implements AcquireResult {}

    /** There is no such record and acquire may not make one: the user's own rows only. */
    record Missing() implements AcquireResult {}

    /** The caller's nonce was released before: this call is over, and the request a late duplicate. */
    record Spent() implements AcquireResult {}
}
