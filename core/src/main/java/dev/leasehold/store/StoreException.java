package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/** The store cannot do what was asked, and asking again will not help until somebody mends it. */
public class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StoreException(String message) {
        super(message);
    }

    public StoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
