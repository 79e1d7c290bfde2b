package dev.leasehold.once;

import dev.leasehold.store.Payload;
import org.jspecify.annotations.Nullable;

/**
 * Why a run failed for good, as it is kept and replayed. A code or message that is too long is cut at a character and
 * ends with an ellipsis.
 *
 * @param code names the kind of failure for programs; not empty, at most {@link #MAX_CODE_LENGTH}
 * @param message says it to people; at most {@link #MAX_MESSAGE_LENGTH}
 * @param detail whatever else the caller wants to keep; left out if it is larger than
 *     {@link RunSpec#withLargestResult the largest result}
 */
public record Failure(String code, String message, @Nullable Payload detail) {
    /** The code of a run that was tried as often as allowed. */
    public static final String ATTEMPTS_EXHAUSTED = "attempts-exhausted";

    /** The code of a run that a person has to decide on, where a record can only say that it failed. */
    public static final String ON_HOLD = "on-hold";

    /** The longest code, in chars. */
    public static final int MAX_CODE_LENGTH = 500;

    /** The longest message, in chars. */
    public static final int MAX_MESSAGE_LENGTH = ErrorText.MAX_LENGTH;

    public Failure {
        if (code.isEmpty()) {
            throw new IllegalArgumentException("A failure needs a code.");
        }
        code = ErrorText.cut(code, MAX_CODE_LENGTH);
        message = ErrorText.cut(message, MAX_MESSAGE_LENGTH);
    }

    public static Failure of(String code, String message) {
        return new Failure(code, message, null);
    }

    /** What is kept of an exception: its class as the code, and its message. */
    static Failure of(Throwable error) {
        return error instanceof TerminalException terminal
                ? terminal.failure()
                : of(error.getClass().getName(), ErrorText.messageOf(error));
    }
}
