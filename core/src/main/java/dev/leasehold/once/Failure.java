package dev.leasehold.once;

import dev.leasehold.store.Payload;
import org.jspecify.annotations.Nullable;

/**
 * Why a run failed for good, as it is kept and replayed.
 *
 * @param code names the kind of failure for programs; not empty
 * @param message says it to people
 * @param detail whatever else the caller wants to keep
 */
public record Failure(String code, String message, @Nullable Payload detail) {
    /** The code of a run that was tried as often as allowed. */
    public static final String ATTEMPTS_EXHAUSTED = "attempts-exhausted";

    private static final int LONGEST = 2_000;

    public Failure {
        if (code.isEmpty()) {
            throw new IllegalArgumentException("A failure needs a code.");
        }
        message = message.length() > LONGEST ? message.substring(0, LONGEST - 1) + "…" : message;
    }

    public static Failure of(String code, String message) {
        return new Failure(code, message, null);
    }

    /** What is kept of an exception: its class as the code, and its message. */
    static Failure of(Throwable error) {
        return error instanceof TerminalException terminal
                ? terminal.failure()
                : of(error.getClass().getName(), String.valueOf(error.getMessage()));
    }
}
