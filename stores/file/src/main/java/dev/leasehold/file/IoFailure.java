package dev.leasehold.file;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.util.List;

/** Says what a failure of the disk means to a caller. */
final class IoFailure {
    /** What systems say of links and locks that a file system does not have: EPERM, ENOTSUP, ENOSYS, ENOLCK. */
    private static final List<String> LACKS =
            List.of("not permitted", "not supported", "not implemented", "No locks available");

    /** What systems say if asking again does not help: EACCES, EROFS, ENOTDIR, EISDIR, ENAMETOOLONG. */
    private static final List<String> LASTING = List.of(
            "Permission denied", "Read-only file system", "Not a directory", "Is a directory", "File name too long");

    private IoFailure() {}

    /** @param attempt what could not be done, such as "change the record of key k in /dir" */
    static StoreException of(String attempt, IOException e) {
        if (e instanceof AccessDeniedException || says(LASTING, e)) {
            return new StoreException(
                    "Cannot " + attempt + ": " + describe(e) + ". Choose another place, or mend this one.", e);
        }
        if (e instanceof FileAlreadyExistsException) {
            return new StoreException(
                    "Cannot " + attempt + ": " + e.getMessage() + " is in the way and is no directory.", e);
        }
        return new StoreUnavailableException("Could not " + attempt + ": " + describe(e), e);
    }

    /** The store's directory was there when the store was opened, and no longer is. */
    static StoreException removed(String attempt, IOException e) {
        return new StoreUnavailableException(
                "Could not " + attempt + ": the directory was removed. Put it back, or open the store again to begin"
                        + " with an empty one.",
                e);
    }

    /** @param lack what to say if the file system does not have what was asked of it */
    static StoreException orUnsupported(String lack, String attempt, Exception e) {
        if (e instanceof IOException io && !says(LACKS, io)) {
            return of(attempt, io);
        }
        return new StoreUnsupportedException(lack, e);
    }

    private static boolean says(List<String> words, IOException e) {
        return words.stream().anyMatch(describe(e)::contains);
    }

    private static String describe(IOException e) {
        String message = e.getMessage() == null ? "" : e.getMessage();
        boolean isKindOnly = e instanceof AccessDeniedException || message.isEmpty();
        return isKindOnly ? (e.getClass().getSimpleName() + " " + message).strip() : message;
    }
}
