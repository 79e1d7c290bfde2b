package dev.leasehold.lease;

import dev.leasehold.store.Key;
import org.jspecify.annotations.Nullable;

/** A lease could not be had, kept or given back. Says which key, why, and whether trying again makes sense. */
public class LeaseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What went wrong, with the name by which events, the CLI and the browser client know it. */
    public enum Code {
        /** Neither the store nor a fallback can work here. */
        UNSUPPORTED("web-lock-unsupported", false),
        /** One attempt got no answer in time. Appears as the cause of the error that ends the call. */
        TIMEOUT("lock-timeout", true),
        /** Another holder has it, or the store did not answer, through all attempts. */
        UNAVAILABLE("lock-unavailable", false),
        /** Renewing failed, or the lease is lost: acquire a new one. Not retryable if renewing cannot succeed. */
        RENEWAL_FAILED("lock-renewal-failed", true),
        /**
         * Giving it back failed. A lease with a TTL expires by itself; an operating-system lock stays until a later try
         * succeeds or its process ends.
         */
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
    private final boolean isRetryable;

    public LeaseException(Code code, Key key, String message, @Nullable Throwable cause) {
        this(code, key, message, cause, code.isRetryable);
    }

    LeaseException(Code code, Key key, String message, @Nullable Throwable cause, boolean isRetryable) {
        super(message, cause);
        this.code = code;
        this.key = key;
        this.isRetryable = isRetryable;
    }

    /** A wait that ended before the store was asked. */
    static LeaseException refusal(Key key, String message) {
        return new LeaseException(Code.UNAVAILABLE, key, message, null, true);
    }

    /** The message of a cause, to be part of a sentence. */
    static String inWords(Throwable cause) {
        String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }

    public Code code() {
        return code;
    }

    public Key key() {
        return key;
    }

    /** Whether the same call may succeed if made again. */
    public boolean isRetryable() {
        return isRetryable;
    }

    /** Whether the call waited in vain, because other callers of this process were in line before it all the time. */
    public boolean isRefusal() {
        return code == Code.UNAVAILABLE && isRetryable;
    }
}
