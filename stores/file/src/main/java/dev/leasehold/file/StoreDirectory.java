package dev.leasehold.file;

import dev.leasehold.store.Key;
import dev.leasehold.store.StoreUnsupportedException;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where things are in the directory of a store: {@code keys/ab/abcd…/} has the versions of one key, {@code temp} what
 * is being written, {@code clock} what the processes' common clock needs, {@code history} what happened.
 */
final class StoreDirectory {
    /** Begins with the process that uses it. */
    private static final Pattern TEMP = Pattern.compile("(\\d{1,18})-.*");

    private static final int SHARD_DIGITS = 2;
    private static final Pattern SHARD = Pattern.compile("[0-9a-f]{" + SHARD_DIGITS + "}");

    /** Sees one key's directory; whether it wants to see more. */
    interface Visitor {
        boolean visit(KeyDirectory keyDirectory) throws IOException;
    }

    private final Path root;
    private final Machine machine;
    private final boolean isLocal;
    private final ClockDirectory clockDirectory;
    private final LongSupplier clock;

    private StoreDirectory(Path root, Machine machine, boolean isLocal, boolean allowsOtherHosts) throws IOException {
        this.root = root;
        this.machine = machine;
        this.isLocal = isLocal;
        this.clockDirectory = new ClockDirectory(root.resolve("clock"), machine.disk());
        machine.disk().makeDirectories(root.resolve("keys"));
        machine.disk().makeDirectories(root.resolve("temp"));
        machine.disk().makeDirectories(root.resolve("clock"));
        checkLinks();
        // Several hosts share nothing but the wall clock, as it is now: a base that was chosen while it was wrong would
        // keep it wrong until the next boot.
        this.clock = allowsOtherHosts ? machine.wallMicros() : clockDirectory.clock(machine, isLocal, temp());
    }

    static StoreDirectory open(Path directory, boolean allowsNetworkFileSystem, Machine machine) {
        if (!directory.getFileSystem().equals(FileSystems.getDefault())) {
            throw new StoreUnsupportedException(
                    "A store needs a directory of the machine's own file system, not " + directory.toUri() + ".");
        }
        try {
            machine.disk().makeDirectories(directory.toAbsolutePath());
            // Two paths to one directory must be one store, also to the locks within this process.
            Path root = directory.toRealPath();
            FileSystemKind kind = machine.kinds().apply(root);
            kind.check(root, allowsNetworkFileSystem, "FileLeaseStore.Options.allowingNetworkFileSystem()");
            boolean isLocal = kind.isOfOneHost(allowsNetworkFileSystem);
            return new StoreDirectory(root, machine, isLocal, allowsNetworkFileSystem);
        } catch (IOException e) {
            throw IoFailure.of("open the store in " + directory, e);
        }
    }

    /** Whether the directories are there that were made when the store was opened. */
    boolean isThere() {
        return machine.disk().isDirectory(root.resolve("keys"))
                && machine.disk().isDirectory(root.resolve("temp"));
    }

    boolean isLocal() {
        return isLocal;
    }

    LongSupplier clock() {
        return clock;
    }

    FileHistory history(LongSupplier storeClock) {
        return new FileHistory(root.resolve("history"), machine.disk(), storeClock);
    }

    long passedMicros() throws IOException {
        return clockDirectory.passedMicros();
    }

    void markPassed(long micros) throws IOException {
        clockDirectory.markPassed(micros, temp());
    }

    KeyDirectory of(Key key) {
        String name = KeyDirectory.nameFor(key);
        return at(root.resolve("keys").resolve(name.substring(0, SHARD_DIGITS)).resolve(name));
    }

    /** Passes over files and directories that are not the store's own, such as {@code .DS_Store}. */
    void forEachKey(Visitor visitor) throws IOException {
        Path keys = root.resolve("keys");
        for (String shard : machine.disk().list(keys, "")) {
            if (SHARD.matcher(shard).matches()) {
                for (String name : list(keys.resolve(shard))) {
                    if (name.startsWith(shard)
                            && KeyDirectory.isName(name)
                            && !visit(visitor, keys.resolve(shard).resolve(name))) {
                        return;
                    }
                }
            }
        }
    }

    private List<String> list(Path directory) throws IOException {
        try {
            return machine.disk().list(directory, "");
        } catch (NotDirectoryException e) {
            return List.of();
        }
    }

    private boolean visit(Visitor visitor, Path keyDirectory) throws IOException {
        try {
            return visitor.visit(at(keyDirectory));
        } catch (NotDirectoryException e) {
            return true;
        }
    }

    /**
     * Deletes what dead processes were writing. If the process lives after all, where it cannot be seen from here, it
     * notices and writes again.
     */
    void sweep() throws IOException {
        Path temps = root.resolve("temp");
        for (String name : machine.disk().list(temps, "")) {
            Matcher owned = TEMP.matcher(name);
            if (owned.matches() && !machine.processes().sees(Long.parseLong(owned.group(1)))) {
                Path temp = temps.resolve(name);
                if (machine.disk().isDirectory(temp)) {
                    for (String inside : machine.disk().list(temp, "")) {
                        machine.disk().discard(temp.resolve(inside));
                    }
                }
                machine.disk().discard(temp);
            }
        }
    }

    private KeyDirectory at(Path path) {
        return new KeyDirectory(path, this::temp, machine.disk());
    }

    private Path temp() {
        return root.resolve("temp").resolve(ProcessHandle.current().pid() + "-" + Machine.newTag());
    }

    private void checkLinks() throws IOException {
        Path original = temp();
        Path second = temp();
        machine.disk().write(original, new byte[0]);
        try {
            machine.disk().link(original, second);
        } catch (IOException | UnsupportedOperationException e) {
            Path scratch = temp();
            throw IoFailure.orUnsupported(
                    "The file system of " + root + " has no hard links, which a store in files needs. Use a directory"
                            + " on another one (ext4, XFS, Btrfs, APFS, NTFS), or a database.",
                    "open the store in " + root,
                    e,
                    machine.disk(),
                    scratch,
                    () -> machine.disk().tryLink(scratch, temp()));
        } finally {
            machine.disk().discard(second);
            machine.disk().discard(original);
        }
    }

    @Override
    public String toString() {
        return root.toString();
    }
}
