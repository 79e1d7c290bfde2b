package dev.leasehold.once;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Turns what the work gives into what a record keeps, and back into what callers are told. */
final class Answers<R> {
    private final Key key;
    private final RunSpec<R> spec;

    Answers(Key key, RunSpec<R> spec) {
        this.key = key;
        this.spec = spec;
    }

    /** The outcome for a caller whom the store did not grant the lease. */
    Outcome<R> of(Acquisition.Refused refused) {
        AcquireResult answer = refused.answer();
        if (answer instanceof AcquireResult.Held held) {
            return new Outcome.InProgress<>(
                    held.owner(), held.fence(), held.heldFor(), atLeastAMilli(held.remaining()));
        }
        if (answer instanceof AcquireResult.Settled settled) {
            Settlement settlement = settled.settlement();
            return replay(
                    settlement.state(), settlement.payload(), settled.fence(), settled.attempts(), settled.remaining());
        }
        if (answer instanceof AcquireResult.Mismatch mismatch) {
            return new Outcome.Mismatch<>(mismatch.fence(), mismatch.state());
        }
        if (answer instanceof AcquireResult.Cooling cooling) {
            return new Outcome.Cooling<>(cooling.remaining());
        }
        throw new IllegalStateException(String.valueOf(refused.orElseThrow()));
    }

    static Duration atLeastAMilli(Duration time) {
        return time.toMillis() < 1 ? Duration.ofMillis(1) : time;
    }

    /** The outcome of a run that was settled before. */
    Outcome<R> replay(State state, @Nullable Payload payload, Fence fence, int attempts, Duration keptFor) {
        Envelope.Body body = Envelope.read(key, payload).body();
        return switch (state) {
            case DONE -> new Outcome.Replayed<>(value(body), fence, attempts, keptFor);
            case FAILED -> new Outcome.Refused<>(failure(body), fence, attempts, keptFor, null);
            case HOLD -> new Outcome.OnHold<>(reason(body), fence, attempts, null);
            case FREE, HELD -> throw new IllegalArgumentException("Not settled: " + state + ".");
        };
    }

    private @Nullable R value(Envelope.Body body) {
        if (!(body instanceof Envelope.Body.Bytes bytes)) {
            return null;
        }
        try {
            return spec.codec().decode(bytes.payload().bytes());
        } catch (Exception e) {
            throw new ResultException(key, "The kept result cannot be read (" + ErrorText.messageOf(e) + ")", e);
        }
    }

    private static Failure failure(Envelope.Body body) {
        return body instanceof Envelope.Body.Failed failed
                ? failed.failure()
                : Failure.of("failed", "The run failed; the record does not say why.");
    }

    private static String reason(Envelope.Body body) {
        return body instanceof Envelope.Body.Reason reason ? reason.text() : "unknown";
    }

    /**
     * What is kept of a result.
     *
     * @throws ResultException if it cannot be encoded or is too large
     */
    Envelope.Body result(@Nullable R value) {
        if (value == null) {
            return new Envelope.Body.Nothing();
        }
        byte[] bytes;
        try {
            bytes = spec.codec().encode(value);
        } catch (Exception | StackOverflowError e) {
            throw new ResultException(key, "The result cannot be encoded (" + ErrorText.messageOf(e) + ")", e);
        }
        if (bytes == null) {
            throw new ResultException(key, "The result cannot be encoded (the codec returned null)", null);
        }
        return bytes("result", bytes);
    }

    Envelope.Body bytes(String what, byte[] bytes) {
        if (bytes.length > spec.largestResult()) {
            throw new ResultException(
                    key,
                    "The " + what + " has " + bytes.length + " bytes, at most " + spec.largestResult() + " are kept",
                    null);
        }
        return new Envelope.Body.Bytes(Payload.of(bytes));
    }

    /** What is kept of a failure. A detail that is too large is left out, and the message says so. */
    Envelope.Body.Failed failed(Failure failure) {
        Payload detail = failure.detail();
        boolean isTooLarge = detail != null && detail.size() > spec.largestResult();
        return new Envelope.Body.Failed(
                isTooLarge
                        ? Failure.of(failure.code(), failure.message() + " (a detail of " + detail + " was left out)")
                        : failure);
    }
}
