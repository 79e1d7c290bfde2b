package dev.leasehold.once;

import dev.leasehold.store.Key;
import org.jspecify.annotations.Nullable;

/** A result cannot be kept, or a kept one cannot be read. Says for which key, and why. */
public final class ResultException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Key key;

    ResultException(Key key, String message, @Nullable Throwable cause) {
        super(message + ": key " + key + ".", cause);
        this.key = key;
    }

    public Key key() {
        return key;
    }
}
