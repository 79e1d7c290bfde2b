package dev.leasehold.once;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What became of a transfer or release of a name. */
public sealed interface NameChange {
    /** It is as was asked, by this call or by an earlier one. */
    record Changed() implements NameChange {}

    /**
     * Nothing changed: the name is not the subject's.
     *
     * @param holder whose it is; {@code null} if nobody's
     */
    record NotHeld(@Nullable Subject holder) implements NameChange {}

    /**
     * Nothing changed: the claim is not confirmed yet, or another change of the same name is under way.
     *
     * @param remaining how long that lasts at most, unless it is renewed
     */
    record Busy(Duration remaining) implements NameChange {}

    default boolean isChanged() {
        return this instanceof Changed;
    }
}
