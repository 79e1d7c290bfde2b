package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/** What the store needs is not there, or of another version: somebody must create it. */
public class MissingSchemaException extends StoreException {
    private static final long serialVersionUID = 1L;

    public MissingSchemaException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
