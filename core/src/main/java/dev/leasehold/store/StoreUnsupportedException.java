package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/**
 * This kind of store cannot work here at all, for example because the file system has no locks, or cannot do what was asked,
 * such as forget an answer that is the user's own record.
 */
public class StoreUnsupportedException extends StoreException {
    private static final long serialVersionUID = 1L;

    public StoreUnsupportedException(String message) {
        super(message);
    }

    public StoreUnsupportedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
