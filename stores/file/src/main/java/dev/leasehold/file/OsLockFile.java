package dev.leasehold.file;

import dev.leasehold.store.Nonce;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.Uninterrupted;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A file with an operating-system lock on it and a state inside it. One object per file and process; see
 * {@link OsLockFiles}.
 *
 * <p>The file is never replaced or deleted, because the lock is on the file and not on its name. So the state is
 * written in place, by turns in two slots with checksums: a write that was cut short leaves the other slot.
 *
 * <p>Three ways to lose such a lock without noticing, and what is done here:
 *
 * <ul>
 *   <li>Closing any descriptor of the file drops the process's lock on it. This object opens the file twice and closes
 *       both at once; other code in the process may do as it likes, so a lock that can be had proves nothing, and
 *       {@link OsLockStore} asks for more.
 *   <li>An interrupt closes a {@code FileChannel} that is in use. An {@code AsynchronousFileChannel} does not mind.
 *   <li>Somebody deletes the file while others wait for its lock or hold it. After locking, the file is opened once
 *       more by its name: the same random tag in its head means the same file. It stays open, so the number the file
 *       system has for it (the inode) cannot go to another, and comparing numbers is enough from then on.
 * </ul>
 *
 * <p>Callers synchronize on this object.
 */
final class OsLockFile {
    private static final String KIND = "os-lock";
    private static final String ADVICE =
            "The lease is granted to nobody until this is mended. If no process uses it, delete the file: the lease is"
                    + " free then.";
    private static final int HEAD = OsLockSlot.SIZE;
    private static final int LENGTH = HEAD + 2 * OsLockSlot.SIZE;

    private static final int MOST_OWED = 100;

    /** Far behind the content: where locks are mandatory, others can still read. */
    static final long LOCKED_BYTE = 1L << 30;

    /** A locked file, open twice, and the file system's number for it. */
    private record Locked(
            AsynchronousFileChannel channel,
            FileLock lock,
            RandomAccessFile byName,
            @Nullable Object number) {}

    private final Path path;
    private final OsLockDrafts drafts;
    private @Nullable Locked locked;
    /**
     * The releases that failed, one for each nonce. Their leases do not expire, so a later call of this process makes up for
     * them.
     */
    private final Map<Nonce, ReleaseRequest> owedReleases = new LinkedHashMap<>();

    OsLockFile(Path path) {
        this.path = path;
        this.drafts = new OsLockDrafts(path);
    }

    OsLockDrafts drafts() {
        return drafts;
    }

    /**
     * Remembers a release that failed, until a later call takes it. Of many, withdrawals of acquires that failed are dropped
     * first: as a rule they have nothing to end.
     */
    void owe(ReleaseRequest request) {
        owedReleases.putIfAbsent(request.nonce(), request);
        if (owedReleases.size() > MOST_OWED) {
            ReleaseRequest dropped = owedReleases.values().stream()
                    .filter(owed -> owed.fence() == null)
                    .findFirst()
                    .orElse(request);
            owedReleases.remove(dropped.nonce());
        }
    }

    boolean owes(Nonce nonce) {
        return owedReleases.containsKey(nonce);
    }

    List<ReleaseRequest> takeOwedReleases() {
        List<ReleaseRequest> owed = List.copyOf(owedReleases.values());
        owedReleases.clear();
        return owed;
    }

    /** The file system's id of the locked file, which no other file of the host has; {@code null} if unknown. */
    @Nullable
    String lockedNumber() {
        Object number = locked == null ? null : locked.number();
        return number == null ? null : number.toString();
    }

    /** Whether this process took the lock of the file that has the name now. A file that was deleted is given up. */
    boolean isLocked() throws IOException {
        if (locked != null && !Objects.equals(locked.number(), number())) {
            unlock();
        }
        return locked != null;
    }

    /** Takes the lock; {@code false} if another has it, or the file was exchanged just now. */
    boolean lock(Disk disk) throws IOException {
        create(disk);
        Object before = number();
        AsynchronousFileChannel channel = null;
        RandomAccessFile byName = null;
        try {
            channel = AsynchronousFileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock lock = tryLock(disk, channel);
            if (lock == null) {
                return false;
            }
            byName = new RandomAccessFile(path.toFile(), "r");
            Object after = number();
            if (Objects.equals(before, after) && tag(readHead(channel)).equals(tag(read(byName, 0)))) {
                locked = new Locked(channel, lock, byName, after);
            }
            return locked != null;
        } catch (NoSuchFileException | FileNotFoundException e) {
            return false;
        } finally {
            if (locked == null) {
                close(byName);
                close(channel);
            }
        }
    }

    void unlock() {
        Locked held = locked;
        locked = null;
        if (held != null) {
            close(held.byName());
            close(held.channel());
        }
    }

    /** The newest state; the first of all if there is no file. */
    OsLockSlot read(Disk disk) throws IOException {
        disk.step(DiskStep.READ, path);
        Locked held = locked;
        if (held != null) {
            return newest(held.byName());
        }
        if (!disk.exists(path)) {
            return OsLockSlot.NEW;
        }
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            return newest(file);
        }
    }

    /** Writes the next state beside the present one. Only while locked. */
    void write(Disk disk, OsLockSlot slot) throws IOException {
        AsynchronousFileChannel channel = Objects.requireNonNull(locked).channel();
        byte[] bytes = slot.toBytes(path);
        long position = HEAD + (long) slot.place() * OsLockSlot.SIZE;
        int part = bytes.length / 32;
        disk.step(DiskStep.WRITE_SLOT, path);
        write(channel, ByteBuffer.wrap(bytes, 0, part), position);
        disk.step(DiskStep.WRITE_REST, path);
        write(channel, ByteBuffer.wrap(bytes, part, bytes.length - part), position + part);
        disk.step(DiskStep.FORCE, path);
        channel.force(true);
    }

    private OsLockSlot newest(RandomAccessFile file) throws IOException {
        tag(read(file, 0));
        if (file.length() != LENGTH) {
            throw new StoreException("Cannot read " + path + ": its length is wrong. " + ADVICE);
        }
        OsLockSlot even = OsLockSlot.parse(path, read(file, HEAD));
        OsLockSlot odd = OsLockSlot.parse(path, read(file, HEAD + OsLockSlot.SIZE));
        if (even != null && (odd == null || odd.sequence() < even.sequence())) {
            return even;
        }
        if (odd == null) {
            throw new StoreException("Cannot read " + path + ": neither of its two states is whole. " + ADVICE);
        }
        return odd;
    }

    private String tag(byte[] head) {
        return StateText.parse(path, KIND, OsLockSlot.trim(head), ADVICE, text -> text.take("tag"));
    }

    private void create(Disk disk) throws IOException {
        if (disk.exists(path)) {
            return;
        }
        byte[] head = new StateText.Writer(KIND).put("tag", Machine.newTag()).toBytes();
        ByteBuffer content = ByteBuffer.allocate(LENGTH);
        content.put(head).position(HEAD);
        content.put(OsLockSlot.NEW.toBytes(path));
        Path temp = drafts.next();
        disk.write(temp, content.array());
        try {
            disk.link(temp, path);
        } catch (NoSuchFileException e) {
            return; // Another process, which does not see this one, swept the draft. The caller tries again.
        } catch (IOException | UnsupportedOperationException e) {
            Path scratch = drafts.next();
            throw IoFailure.orUnsupported(
                    "The file system of " + path + " has no hard links, which a lock needs. Use a file on another one.",
                    "make " + path,
                    e,
                    disk,
                    scratch,
                    () -> disk.tryLink(scratch, drafts.next()));
        } finally {
            disk.discard(temp);
        }
        disk.forceDirectory(Objects.requireNonNull(path.getParent()));
    }

    private @Nullable FileLock tryLock(Disk disk, AsynchronousFileChannel channel) throws IOException {
        try {
            disk.step(DiskStep.LOCK, path);
            return channel.tryLock(LOCKED_BYTE, 1, false);
        } catch (OverlappingFileLockException e) {
            return null;
        } catch (IOException | UnsupportedOperationException e) {
            Path scratch = drafts.next();
            throw IoFailure.orUnsupported(
                    "The file system of " + path + " has no locks, or none that work. Use a LockFileStore, or a"
                            + " FallbackLeaseStore, which finds out by itself.",
                    "lock " + path,
                    e,
                    disk,
                    scratch,
                    () -> disk.tryLock(scratch));
        }
    }

    /** What the file system calls the file that has the name now; {@code null} if there is none, or it does not say. */
    private @Nullable Object number() throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static byte[] read(RandomAccessFile file, int position) throws IOException {
        byte[] bytes = new byte[OsLockSlot.SIZE];
        file.seek(position);
        int length = 0;
        for (int read; length < bytes.length && (read = file.read(bytes, length, bytes.length - length)) >= 0; ) {
            length += read;
        }
        return bytes;
    }

    private static byte[] readHead(AsynchronousFileChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(HEAD);
        while (buffer.hasRemaining() && await(channel.read(buffer, buffer.position())) >= 0) {}
        return buffer.array();
    }

    private static void write(AsynchronousFileChannel channel, ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += await(channel.write(bytes, at));
        }
    }

    /** Waits to the end, whoever interrupts. */
    private static int await(Future<Integer> result) throws IOException {
        try {
            return Uninterrupted.await(result::get);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        }
    }

    private static void close(@Nullable AutoCloseable file) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (Exception e) {
            // Nothing was left to be written.
        }
    }
}
