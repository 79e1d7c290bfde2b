package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/** No answer: what was asked may or may not have happened. Asking again, with the same nonce, is safe. */
public class StoreUnavailableException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreUnavailableException(String message) {
        super(message);
    }

    public StoreUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
