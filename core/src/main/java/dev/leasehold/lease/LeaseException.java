package dev.leasehold.lease;

import dev.leasehold.store.Key;
import org.jspecify.annotations.Nullable;

/** A lease could not be had, kept or given back. Says which key, why, and whether trying again makes sense. */
public class LeaseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What went wrong, with the name by which events, the CLI and the browser client know it. */
    public enum Code {
        /** This kind of lock cannot work here; the fallback is used instead. */
        UNSUPPORTED("web-lock-unsupported", false),
        /** No answer in time. */
        TIMEOUT("lock-timeout", true),
        /** Somebody else has it, or the store did not answer, through all attempts. */
        UNAVAILABLE("lock-unavailable", false),
        /** Renewing failed several times in a row, or the lease is lost: acquire a new one. */
        RENEWAL_FAILED("lock-renewal-failed", true),
        /** Giving it back failed; it ends with its TTL. */
        RELEASE_FAILED("lock-release-failed", true);

        private final String text;
        private final boolean isRetryable;

        Code(String text, boolean isRetryable) {
            this.text = text;
            this.isRetryable = isRetryable;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private final transient Key key;
    private final Code code;

    public LeaseException(Code code, Key key, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.key = key;
    }

    public Code code() {
        return code;
    }

    public Key key() {
        return key;
    }

    /** Whether the same call may succeed if made again. */
    public boolean isRetryable() {
        return code.isRetryable;
    }
}
