package dev.leasehold.once;

import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Progress;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.Tenure;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a run stands, for people and status pages.
 *
 * @param answer what a caller would be told now; {@code null} if it would run
 * @param fence of the last attempt; {@code null} if there is no record
 * @param attempts how many attempts there were, the present one included
 * @param history the last attempts that ended, the oldest first
 */
public record RunView<R>(
        Standing standing,
        @Nullable Outcome<R> answer,
        @Nullable Fence fence,
        int attempts,
        List<Attempt> history) {
    /** How a run stands. */
    public enum Standing {
        /** Nothing is known of it; a caller would run. */
        ABSENT,
        /** Its last attempt was cleared; a caller would run, unless the key is cooling. */
        CLEARED,
        RUNNING,
        /** Its runner went silent; a caller would take over. */
        STALE,
        DONE,
        FAILED,
        ON_HOLD
    }

    public RunView {
        history = List.copyOf(history);
    }

    /** What a caller would be told now; empty if it would run. */
    public Optional<Outcome<R>> outcome() {
        return Optional.ofNullable(answer);
    }

    static <R> RunView<R> absent() {
        return new RunView<>(Standing.ABSENT, null, null, 0, List.of());
    }

    static <R> RunView<R> of(LeaseSnapshot found, Fingerprint asked, Answers<R> answers) {
        LeaseRecord record = found.record();
        boolean isForgotten = record.state().isSettled() && !found.isSettled();
        Progress progress = record.progress();
        if (isForgotten) {
            return new RunView<>(Standing.ABSENT, null, record.fence(), 0, List.of());
        }
        Envelope kept = found.fields() == null ? Envelope.read(record.key(), progress.payload()) : Envelope.EMPTY;
        Envelope envelope = kept.withSilent(progress.predecessor(), progress.attempts() - 1);
        boolean isMismatch = asked.contradicts(progress.fingerprint());
        Outcome<R> answer =
                isMismatch ? new Outcome.Mismatch<>(record.fence(), record.state()) : answer(found, answers);
        return new RunView<>(standing(found), answer, record.fence(), progress.attempts(), envelope.history());
    }

    private static Standing standing(LeaseSnapshot found) {
        LeaseRecord record = found.record();
        return switch (record.state()) {
            case FREE -> record.progress().attempts() == 0 ? Standing.ABSENT : Standing.CLEARED;
            case HELD -> found.isHeld() ? Standing.RUNNING : Standing.STALE;
            case DONE -> Standing.DONE;
            case FAILED -> Standing.FAILED;
            case HOLD -> Standing.ON_HOLD;
        };
    }

    private static <R> @Nullable Outcome<R> answer(LeaseSnapshot found, Answers<R> answers) {
        LeaseRecord record = found.record();
        Tenure tenure = record.tenure();
        if (found.isHeld()) {
            return new Outcome.InProgress<>(
                    tenure == null ? null : tenure.owner(),
                    record.fence(),
                    found.heldFor(),
                    Answers.atLeastAMilli(found.remaining()));
        }
        if (record.isCooling(found.nowMicros())) {
            return new Outcome.Cooling<>(found.remaining());
        }
        if (!found.isSettled()) {
            return null;
        }
        Settlement kept = new Settlement(
                record.state(),
                found.fields() == null ? record.progress().payload() : null,
                found.remaining(),
                found.fields());
        return answers.replay(kept, record.fence(), record.progress().attempts(), found.remaining());
    }
}
