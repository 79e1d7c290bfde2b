package dev.leasehold.file;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says what a failure of the disk means to a caller.
 *
 * <p>Java gives away the system's number of an error only for a few kinds. The rest is text, in the language of the user.
 * So English texts are known here, and behind any other text the place is tried again, or looked at.
 */
final class IoFailure {
    /** What systems say of links and locks that a file system does not have: EPERM, ENOTSUP, ENOSYS, ENOLCK. */
    private static final List<String> LACKS =
            List.of("not permitted", "not supported", "not implemented", "No locks available");

    /** What systems say if asking again does not help: EACCES, EROFS, ENOTDIR, EISDIR, ENAMETOOLONG. */
    private static final List<String> LASTING = List.of(
            "Permission denied", "Read-only file system", "Not a directory", "Is a directory", "File name too long");

    /** Texts of errors that are not a lack of the file system: EIO, EINTR, ENOSPC, EDQUOT and the like. */
    private static final List<String> PASSING = List.of(
            "Input/output error",
            "Interrupted system call",
            "No space left on device",
            "Disk quota exceeded",
            "Too many open files",
            "Too many links",
            "Cannot allocate memory",
            "Resource temporarily unavailable",
            "Stale file handle",
            "Connection timed out",
            "Transport endpoint is not connected");

    private static final int LONGEST_NAME = 255;

    /** Does what failed with a file of its own, in the same folder. */
    interface Trial {
        void run() throws IOException;
    }

    private IoFailure() {}

    /** @param attempt what could not be done, such as "change the record of key k in /dir" */
    static StoreException of(String attempt, IOException e) {
        if (e instanceof AccessDeniedException || says(LASTING, e) || (!says(PASSING, e) && isBarred(pathOf(e)))) {
            return new StoreException(
                    "Cannot " + attempt + ": " + describe(e)
                            + ". Check the folder's permissions and file system, or use another folder.",
                    e);
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

    /**
     * @param lack what to say if the file system does not have what was asked of it
     * @param scratch a file in the same folder that nobody uses; made and deleted here
     * @param trial does with the scratch file what failed
     */
    static StoreException orUnsupported(
            String lack, String attempt, Exception e, Disk disk, Path scratch, Trial trial) {
        if (e instanceof IOException io && !says(LACKS, io) && !(isUnknown(io) && fails(disk, scratch, trial))) {
            return of(attempt, io);
        }
        return new StoreUnsupportedException(lack, e);
    }

    /** Neither a kind that Java knows nor a text that we do. */
    private static boolean isUnknown(IOException e) {
        boolean isPlain = e.getClass() == IOException.class || e.getClass() == FileSystemException.class;
        return isPlain && !says(PASSING, e) && !says(LASTING, e);
    }

    /** Returns whether the trial fails although the folder takes files, and what is in them. */
    private static boolean fails(Disk disk, Path scratch, Trial trial) {
        try {
            disk.write(scratch, new byte[] {1});
        } catch (IOException e) {
            return false;
        }
        try {
            trial.run();
            return false;
        } catch (IOException e) {
            return isUnknown(e);
        } finally {
            disk.discard(scratch);
        }
    }

    /** Returns whether this process has no rights there, so that a retry does not help. */
    private static boolean isBarred(@Nullable Path path) {
        Path parent = path == null ? null : path.toAbsolutePath().getParent();
        if (path == null || parent == null || !Files.exists(parent)) {
            return false;
        }
        boolean isTooLong = path.getFileName().toString().getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME;
        boolean isUnreadable = Files.exists(path) && !Files.isReadable(path);
        return isTooLong || isUnreadable || !Files.isDirectory(parent) || !Files.isWritable(parent);
    }

    /** The classes of java.io say it in the text only: "path (why)". */
    private static @Nullable Path pathOf(IOException e) {
        String message = e.getMessage();
        String path = e instanceof FileSystemException failure ? failure.getFile() : null;
        if (e instanceof FileNotFoundException && message != null && message.contains(" (")) {
            path = message.substring(0, endOfPath(message));
        }
        try {
            return path == null ? null : Path.of(path);
        } catch (InvalidPathException notOne) {
            return null;
        }
    }

    private static boolean says(List<String> words, IOException e) {
        return words.stream().anyMatch(reason(e)::contains);
    }

    /** What the system said, without the paths: a folder may be named after an error. */
    private static String reason(IOException e) {
        if (e instanceof FileSystemException failure) {
            return failure.getReason() == null ? "" : failure.getReason();
        }
        String message = e.getMessage() == null ? "" : e.getMessage();
        return e instanceof FileNotFoundException ? message.substring(endOfPath(message)) : message;
    }

    /** Where the path ends in a message of java.io, such as "path (why)". */
    private static int endOfPath(String message) {
        return Math.max(0, message.lastIndexOf(" ("));
    }

    private static String describe(IOException e) {
        String message = e.getMessage() == null ? "" : e.getMessage();
        boolean isKindOnly = e instanceof AccessDeniedException || message.isEmpty();
        return isKindOnly ? (e.getClass().getSimpleName() + " " + message).strip() : message;
    }
}
