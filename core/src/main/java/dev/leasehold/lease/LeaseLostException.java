package dev.leasehold.lease;

import dev.leasehold.store.Key;

/** The lease is no longer the caller's: stop, change nothing more. Getting the key back is a new acquire. */
public final class LeaseLostException extends LeaseException {
    private static final long serialVersionUID = 1L;

    LeaseLostException(Key key, String message) {
        super(Code.RENEWAL_FAILED, key, message, null);
    }
}
