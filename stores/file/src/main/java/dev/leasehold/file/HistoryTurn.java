package dev.leasehold.file;

import dev.leasehold.store.StoreUnavailableException;
import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * One writer of a history at a time, among all processes of the host: a lock of the operating system on a file that has
 * nothing in it. It ends with its process. If it were ever held twice, two entries could run into each other; no lease
 * depends on it.
 */
final class HistoryTurn {
    private final Path file;
    private final Disk disk;

    /**
     * The system knows one lock per process and file, so threads take turns here first. An interned string is the same
     * object to all class loaders of the process, each of which may have this class.
     */
    private final String monitor;

    HistoryTurn(Path file, Disk disk) {
        this.file = file;
        this.disk = disk;
        this.monitor = ("leasehold history turn " + file).intern();
    }

    interface Work<T> {
        T run() throws IOException;
    }

    <T> T take(Work<T> work) throws IOException {
        synchronized (monitor) {
            // Unlike a FileChannel, this one is not closed by an interrupt.
            try (AsynchronousFileChannel channel =
                            AsynchronousFileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = lock(channel)) {
                if (!lock.isValid()) {
                    throw new IOException("the lock was lost at once");
                }
                return work.run();
            }
        }
    }

    private FileLock lock(AsynchronousFileChannel channel) throws IOException {
        for (Patience patience = new Patience(); ; patience.pause()) {
            FileLock lock = tryLock(channel);
            if (lock != null) {
                return lock;
            }
            if (patience.isOver()) {
                throw new StoreUnavailableException(
                        "Others kept writing the history for " + Patience.LIMIT.toSeconds() + " s: " + file + ".");
            }
        }
    }

    private @Nullable FileLock tryLock(AsynchronousFileChannel channel) throws IOException {
        disk.step(DiskStep.LOCK, file);
        try {
            return channel.tryLock();
        } catch (IOException | UnsupportedOperationException e) {
            Path scratch = file.resolveSibling(file.getFileName() + ".new-" + Machine.newTag());
            throw IoFailure.orUnsupported(
                    "The file system of " + file + " has no locks, which a history needs. Leases need none.",
                    "lock " + file,
                    e,
                    disk,
                    scratch,
                    () -> disk.tryLock(scratch));
        }
    }
}
