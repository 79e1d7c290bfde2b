package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/**
 * The user's own record does not take what was to be written, such as a text that is too long for its column. Nothing was
 * written, and asking again with the same values will not help.
 */
public final class StoreRefusedException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreRefusedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
