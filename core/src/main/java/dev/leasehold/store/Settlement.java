package dev.leasehold.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a run ended, or how far it got.
 *
 * @param state {@link State#DONE}, {@link State#FAILED} or {@link State#HOLD}; {@link State#HELD} for a checkpoint,
 *     which leaves the lease as it is and keeps the payload for whoever takes over
 * @param retention how long the answer is kept; without meaning for a checkpoint
 * @param fields on a user's own record, in place of a payload: in a request the fields to write, in an answer the record
 *     as it stands. A record of the user's own is kept until the user changes it.
 */
public record Settlement(
        State state,
        @Nullable Payload payload,
        Duration retention,
        @Nullable Fields fields) {
    public Settlement {
        if (state == State.FREE) {
            throw new IllegalArgumentException("A run cannot be settled as FREE; release it instead.");
        }
        if (payload != null && fields != null) {
            throw new IllegalArgumentException("A settlement has a payload or fields, not both.");
        }
        retention = Micros.checkNotNegative("The retention", retention);
    }

    public Settlement(State state, @Nullable Payload payload, Duration retention) {
        this(state, payload, retention, null);
    }

    /** Ends a run on a user's own record: these fields are written, and the record is marked as done. */
    public static Settlement done(Fields written) {
        return new Settlement(State.DONE, null, Micros.FOREVER, written);
    }

    /** Ends a run on a user's own record: these fields are written, and the record is marked as failed. */
    public static Settlement failed(Fields written) {
        return new Settlement(State.FAILED, null, Micros.FOREVER, written);
    }

    public static Settlement done(@Nullable Payload result, Duration retention) {
        return new Settlement(State.DONE, result, retention);
    }

    public static Settlement failed(@Nullable Payload reason, Duration retention) {
        return new Settlement(State.FAILED, reason, retention);
    }

    /** Kept until a person resolves it. */
    public static Settlement onHold(@Nullable Payload reason) {
        return new Settlement(State.HOLD, reason, Micros.FOREVER);
    }

    public static Settlement checkpoint(Payload progress) {
        return new Settlement(State.HELD, progress, Duration.ZERO);
    }

    public boolean isCheckpoint() {
        return state == State.HELD;
    }
}
