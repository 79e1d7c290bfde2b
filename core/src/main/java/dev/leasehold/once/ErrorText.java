package dev.leasehold.once;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Text of and about errors, as it is kept in a record. An error may come from anywhere: its methods may throw or return
 * null, and its message may be huge.
 */
final class ErrorText {
    /** The longest text that is kept, in chars: at most 6,000 bytes of UTF-8. */
    static final int MAX_LENGTH = 2_000;

    private ErrorText() {}

    /** The error as {@code toString} gives it, cut; its class name if that throws. */
    static String of(Throwable error) {
        String text;
        try {
            text = error.toString();
        } catch (Throwable e) {
            text = null;
        }
        return text == null ? error.getClass().getName() : cut(text, MAX_LENGTH);
    }

    /** The error's message, cut; a note on why there is none if {@code getMessage} throws. */
    static String messageOf(Throwable error) {
        String text;
        try {
            text = String.valueOf(error.getMessage());
        } catch (Throwable e) {
            text = "the message of " + error.getClass().getName() + " cannot be read";
        }
        return cut(text, MAX_LENGTH);
    }

    /** The failure of a stage: a stage that depends on another one wraps the failure of that one. */
    static Throwable unwrapped(Throwable error) {
        if (!(error instanceof CompletionException)) {
            return error;
        }
        try {
            Throwable cause = error.getCause();
            return cause == null ? error : cause;
        } catch (RuntimeException | Error e) {
            return error;
        }
    }

    /** Adds what else went wrong to an error that is more important. */
    static void suppress(Throwable error, @Nullable Throwable other) {
        if (other != null && other != error) { // An error refuses to suppress itself.
            error.addSuppressed(other);
        }
    }

    /** The text if it has at most so many chars; otherwise its beginning, cut at a code point, and an ellipsis. */
    static String cut(String text, int maxLength) {
        if (text.length() <= maxLength) {
            return text;
        }
        int end = maxLength - 1;
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + "…";
    }
}
