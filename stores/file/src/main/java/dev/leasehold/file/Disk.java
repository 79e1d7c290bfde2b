package dev.leasehold.file;

import dev.leasehold.store.Uninterrupted;
import java.io.EOFException;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The few things the stores do to a disk, each told to a probe before it happens.
 *
 * <p>None of them can be disturbed by an interrupt of the calling thread, and none loses one.
 */
final class Disk {
    /** Told before each step. A test may stop the process here, hold it up, or make the step fail. */
    interface Probe {
        Probe NONE = (step, path) -> {};

        void before(DiskStep step, Path path) throws IOException;
    }

    private static final boolean FORCES_DIRECTORIES = File.separatorChar == '/';

    private final Probe probe;

    Disk(Probe probe) {
        this.probe = probe;
    }

    void step(DiskStep step, Path path) throws IOException {
        probe.before(step, path);
    }

    boolean exists(Path path) {
        // Unlike Files.exists, this makes no exception of a file that is not there, which is the usual case.
        return path.toFile().exists();
    }

    boolean isDirectory(Path path) {
        return Files.isDirectory(path);
    }

    /** The whole file, or {@code null} if there is none. */
    byte @Nullable [] read(Path file) throws IOException {
        step(DiskStep.READ, file);
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** What the file has from there on, at most so much; nothing if there is no such file. */
    byte[] read(Path file, long from, int most) throws IOException {
        step(DiskStep.READ, file);
        try (FileInputStream in = new FileInputStream(file.toFile())) {
            in.skipNBytes(from);
            return in.readNBytes(most);
        } catch (EOFException e) {
            return new byte[0];
        } catch (FileNotFoundException e) {
            if (exists(file)) {
                throw e; // It may not be read, or too many are open.
            }
            return new byte[0];
        }
    }

    long size(Path file) throws IOException {
        return Files.size(file);
    }

    /** Whether this is the last byte of the file. */
    boolean endsWith(Path file, char last) throws IOException {
        long size = size(file);
        byte[] bytes = size == 0 ? new byte[0] : read(file, size - 1, 1);
        return bytes.length == 1 && bytes[0] == last;
    }

    /** Adds to the end of a file. It is on the disk when this returns; if it throws, part of it may be. */
    void append(Path file, byte[] content) throws IOException {
        step(DiskStep.CREATE, file);
        try (FileOutputStream out = new FileOutputStream(file.toFile(), true)) {
            int half = content.length / 2;
            out.write(content, 0, half);
            step(DiskStep.WRITE_REST, file);
            out.write(content, half, content.length - half);
            step(DiskStep.FORCE, file);
            out.getFD().sync();
        }
    }

    /** Names in the directory that begin so; none if there is no such directory. */
    List<String> list(Path directory, String prefix) throws IOException {
        step(DiskStep.LIST, directory);
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                if (name.startsWith(prefix)) {
                    names.add(name);
                }
            }
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    void makeDirectory(Path directory) throws IOException {
        step(DiskStep.MAKE_DIRECTORY, directory);
        Files.createDirectory(directory);
    }

    /** Makes the directory and those above it, durably. Harmless if it is there. */
    void makeDirectories(Path directory) throws IOException {
        if (isDirectory(directory)) {
            return;
        }
        Path parent = directory.getParent();
        if (parent != null) {
            makeDirectories(parent);
        }
        makeLastDirectory(directory);
    }

    /**
     * Makes the directory, durably, in one that must be there. Harmless if it is there.
     *
     * @throws NoSuchFileException if the one above is not there
     */
    void makeLastDirectory(Path directory) throws IOException {
        if (isDirectory(directory)) {
            return;
        }
        try {
            makeDirectory(directory);
        } catch (FileAlreadyExistsException e) {
            if (!isDirectory(directory)) {
                throw e;
            }
        }
        Path parent = directory.getParent();
        if (parent != null) {
            forceDirectory(parent);
        }
    }

    /** Writes a file that is complete on the disk when this returns, and not there at all if it throws. */
    void write(Path file, byte[] content) throws IOException {
        write(file, content, true);
    }

    /** Writes a file that need not survive a crash of the host. */
    void writeUnforced(Path file, byte[] content) throws IOException {
        write(file, content, false);
    }

    private void write(Path file, byte[] content, boolean isForced) throws IOException {
        try {
            step(DiskStep.CREATE, file);
            // Not a channel: an interrupt closes channels.
            try (FileOutputStream out = new FileOutputStream(file.toFile())) {
                int half = content.length / 2;
                out.write(content, 0, half);
                step(DiskStep.WRITE_REST, file);
                out.write(content, half, content.length - half);
                if (isForced) {
                    step(DiskStep.FORCE, file);
                    out.getFD().sync();
                }
            }
        } catch (IOException | RuntimeException e) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException onTop) {
                e.addSuppressed(onTop);
            }
            throw e;
        }
    }

    /** Gives an existing file a second name, in one step; {@code false} if the name is taken. */
    boolean link(Path existing, Path name) throws IOException {
        step(DiskStep.LINK, name);
        try {
            Files.createLink(name, existing);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** Writes other content into a file that is there. Not in one step: a reader may find a part of it meanwhile. */
    void overwrite(Path file, byte[] content) throws IOException {
        step(DiskStep.WRITE_SLOT, file);
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.write(content);
            out.setLength(content.length);
            step(DiskStep.FORCE, file);
            out.getFD().sync();
        }
    }

    /** Finds out whether a file can be given a second name. */
    void tryLink(Path existing, Path name) throws IOException {
        link(existing, name);
        discard(name);
    }

    /** Finds out whether a file can be locked. Not for one that this process has locked: the lock would be lost. */
    void tryLock(Path file) throws IOException {
        step(DiskStep.LOCK, file);
        try (AsynchronousFileChannel channel = AsynchronousFileChannel.open(file, StandardOpenOption.WRITE)) {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                lock.release();
            }
        }
    }

    /** Gives a file or directory another name in one step. A file that had the name is replaced. */
    void move(Path from, Path to) throws IOException {
        step(DiskStep.MOVE, to);
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Removes a file or an empty directory; {@code false} if it was gone or is a directory that is not empty. */
    boolean delete(Path path) throws IOException {
        step(DiskStep.DELETE, path);
        try {
            return Files.deleteIfExists(path);
        } catch (DirectoryNotEmptyException e) {
            return false;
        }
    }

    /** Removes what nobody needs; if that fails, somebody else will sweep. */
    void discard(Path path) {
        try {
            delete(path);
        } catch (IOException e) {
            // A leftover costs space only.
        }
    }

    /** Makes the names in the directory durable. A directory that is gone has nothing to keep. */
    void forceDirectory(Path directory) throws IOException {
        step(DiskStep.FORCE_DIRECTORY, directory);
        if (!FORCES_DIRECTORIES) {
            return;
        }
        boolean wasInterrupted = false;
        try {
            while (true) {
                try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                    channel.force(true);
                    return;
                } catch (ClosedByInterruptException e) {
                    wasInterrupted |= Uninterrupted.take();
                } catch (NoSuchFileException e) {
                    return;
                }
            }
        } finally {
            if (wasInterrupted) {
                Uninterrupted.giveBack();
            }
        }
    }
}
