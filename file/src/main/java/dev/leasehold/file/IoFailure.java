package dev.leasehold.file;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.List;

/** Says what a failure of the disk means to a caller. */
final class IoFailure {
    /** What systems say of links and locks that a file system does not have: EPERM, ENOTSUP, ENOSYS, ENOLCK. */
    private static final List<String> LACKS =
            List.of("not permitted", "not supported", "not implemented", "No locks available");

    private IoFailure() {}

    /** @param attempt what could not be done, such as "change the record of key k in /dir" */
    static StoreException of(String attempt, IOException e) {
        if (e instanceof AccessDeniedException) {
            return new StoreException(
                    "May not " + attempt + ": access to " + e.getMessage() + " is denied. Give this user access.", e);
        }
        return new StoreUnavailableException("Could not " + attempt + ": " + describe(e), e);
    }

    /** @param lack what to say if the file system does not have what was asked of it */
    static StoreException orUnsupported(String lack, String attempt, Exception e) {
        if (e instanceof IOException io && LACKS.stream().noneMatch(describe(io)::contains)) {
            return of(attempt, io);
        }
        return new StoreUnsupportedException(lack, e);
    }

    private static String describe(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
