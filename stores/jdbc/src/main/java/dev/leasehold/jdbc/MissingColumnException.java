package dev.leasehold.jdbc;

import dev.leasehold.store.StoreException;

/** A table of the user's lacks a column that it had when the store looked at it last. */
final class MissingColumnException extends StoreException {
    private static final long serialVersionUID = 1L;

    MissingColumnException(String message, Throwable cause) {
        super(message, cause);
    }
}
