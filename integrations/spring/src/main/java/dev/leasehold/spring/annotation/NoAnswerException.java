package dev.leasehold.spring.annotation;

import dev.leasehold.once.Outcome;
import dev.leasehold.store.Key;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A call of a {@link RunOnce} method has no answer: the work is under way elsewhere, failed for good, or is on hold. */
public final class NoAnswerException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final transient Outcome<?> outcome;

    NoAnswerException(Key key, Outcome<?> outcome, @Nullable Throwable cause) {
        super("There is no answer for " + key + ": " + why(outcome), cause);
        this.outcome = outcome;
    }

    private static String why(Outcome<?> outcome) {
        if (outcome instanceof Outcome.InProgress<?> busy) {
            return "another caller" + (busy.owner() == null ? "" : " (" + busy.owner() + ")")
                    + " does the work. Ask again in at most " + busy.retryAfter() + ".";
        }
        if (outcome instanceof Outcome.Refused<?> refused) {
            return "the work failed for good. " + refused.failure();
        }
        if (outcome instanceof Outcome.OnHold<?> held) {
            return "nobody knows whether the work was done, and somebody has to decide that. " + held.reason();
        }
        return outcome instanceof Outcome.Cooling<?> cooling
                ? "the key is closed for another " + cooling.remaining() + "."
                : "the key belongs to another request.";
    }

    /** Why there is none: in progress, refused, on hold, cooling or mismatch. */
    public Outcome<?> outcome() {
        return outcome;
    }
}
