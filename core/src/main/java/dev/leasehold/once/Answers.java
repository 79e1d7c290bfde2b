package dev.leasehold.once;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.RecordNotFoundException;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Payload;
import dev.leasehold.store.RecordTraits;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Turns what the work gives into what a record keeps, and back into what callers are told. There are two forms: bytes in
 * a record of Leasehold's own, and fields of the user's own record.
 */
abstract class Answers<R> {
    final Key key;
    final RunSpec<R> spec;

    Answers(Key key, RunSpec<R> spec) {
        this.key = key;
        this.spec = spec;
    }

    /**
     * The form that fits store and spec.
     *
     * @throws IllegalArgumentException if none does, with what to change
     */
    static <R> Answers<R> on(LeaseStore store, Key key, RunSpec<R> spec) {
        RecordTraits traits = store.recordTraits().orElse(null);
        if (traits != null) {
            return new RecordAnswers<>(key, spec, traits);
        }
        if (spec.codec() == null) {
            throw new IllegalArgumentException("The store " + store.name()
                    + " keeps answers as bytes, but the spec has a RecordCodec: key " + key
                    + ". Use RunSpec.of(Codec), or a store on your own records.");
        }
        return new PayloadAnswers<>(key, spec);
    }

    /** The outcome for a caller to whom the store did not grant the lease. */
    final Outcome<R> of(Acquisition.Refused refused) {
        AcquireResult answer = refused.answer();
        if (answer instanceof AcquireResult.Held held) {
            return new Outcome.InProgress<>(
                    held.owner(), held.fence(), held.heldFor(), atLeastAMilli(held.remaining()));
        }
        if (answer instanceof AcquireResult.Settled settled) {
            return replay(settled.settlement(), settled.fence(), settled.attempts(), settled.remaining());
        }
        if (answer instanceof AcquireResult.Mismatch mismatch) {
            return new Outcome.Mismatch<>(mismatch.fence(), mismatch.state());
        }
        if (answer instanceof AcquireResult.Cooling cooling) {
            return new Outcome.Cooling<>(cooling.remaining());
        }
        if (answer instanceof AcquireResult.Missing) {
            throw new RecordNotFoundException(key, recordName());
        }
        throw new IllegalStateException(String.valueOf(refused.orElseThrow()));
    }

    static Duration atLeastAMilli(Duration time) {
        return time.toMillis() < 1 ? Duration.ofMillis(1) : time;
    }

    /** The outcome of a run that was settled before. */
    final Outcome<R> replay(Settlement kept, Fence fence, int attempts, Duration keptFor) {
        return switch (kept.state()) {
            case DONE -> new Outcome.Replayed<>(value(kept), fence, attempts, keptFor);
            case FAILED -> new Outcome.Refused<>(failure(kept), fence, attempts, keptFor, null);
            case HOLD -> new Outcome.OnHold<>(reason(kept), fence, attempts, null);
            case FREE, HELD -> throw new IllegalArgumentException("Not settled: " + kept.state() + ".");
        };
    }

    abstract @Nullable R value(Settlement kept);

    abstract Failure failure(Settlement kept);

    abstract String reason(Settlement kept);

    /**
     * What earlier attempts left.
     *
     * @throws ResultException if it cannot be read
     */
    abstract Envelope before(Lease lease);

    /** The number of attempts before this one. If there was none, the key was a lock before. */
    int earlierAttempts(Lease lease) {
        return lease.attempt() - 1;
    }

    /**
     * Records this value as the answer.
     *
     * @param ended the attempts, with the one that ends
     * @throws ResultException if the value cannot be kept
     */
    abstract Settlement done(Envelope ended, @Nullable R value);

    abstract Settlement failed(Envelope ended, Failure failure);

    abstract Settlement onHold(Envelope ended, String reason);

    /** Keeps how far the run got; null if there is nothing that the record could keep. */
    abstract @Nullable Settlement progress(Envelope progress);

    /** The bytes of a checkpoint, as they are kept. */
    final Envelope.Body bytes(String what, byte[] bytes) {
        if (bytes.length > spec.largestResult()) {
            throw new ResultException(
                    key,
                    "The " + what + " has " + bytes.length + " bytes, at most " + spec.largestResult() + " are kept",
                    null);
        }
        return new Envelope.Body.Bytes(Payload.of(bytes));
    }

    /** The value of a run that has ended, as later callers are given it. */
    abstract @Nullable R recorded(SettleResult result, @Nullable R value);

    /**
     * The same for a run that a transaction of the work's own has ended. Returns the given value if the record cannot be
     * read.
     */
    abstract @Nullable R readBack(LeaseStore store, @Nullable R value);

    /** Returns whether a run can be put on hold. If not, it fails instead, or is cleared where no failure can be kept. */
    abstract boolean canHold();

    abstract boolean canFail();

    /** Returns whether the answer is a record of the user's own, and not a record of Leasehold's that later callers are given. */
    abstract boolean isUsersRecord();

    /** The view of a run that has no record. */
    RunView<R> absent() {
        return RunView.absent();
    }

    /** Names the record for people. */
    abstract String recordName();
}
