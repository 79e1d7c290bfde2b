package dev.leasehold.file;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnsupportedException;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A store that keeps the lease of one key in one file. There is no line: a caller that waits asks again.
 *
 * <p>To ask for another key is an error of the caller's, except when reading, where there is just nothing.
 */
abstract sealed class OneKeyStore implements LeaseStore permits LockFileStore, OsLockStore {
    private final Key key;
    private final Path file;
    private final boolean isLocal;

    /** @param allowsNetwork whether a file system that other hosts can reach is accepted */
    OneKeyStore(Path file, Key key, Machine machine, boolean allowsNetwork) {
        this.file = realPath(file);
        this.key = key;
        Path parent = Objects.requireNonNull(this.file.getParent());
        FileSystemKind kind = machine.kinds().apply(parent);
        kind.check(parent, allowsNetwork, getClass().getSimpleName() + ".onAnyFileSystem(file, key)");
        this.isLocal = kind.isOfOneHost(allowsNetwork);
    }

    /** Reads, decides and writes, as one step to all others. */
    abstract <R> R change(String verb, Decision<R> decision) throws IOException;

    abstract @Nullable LeaseSnapshot read() throws IOException;

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        check(request.key());
        AcquireRequest atOnce = request.inLineFor(Duration.ZERO);
        return run("acquire", (record, now) -> LeaseRules.acquire(record, atOnce, now));
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        return leases.stream()
                .filter(lease -> lease.key().equals(key))
                .flatMap(lease -> renew(lease).stream())
                .toList();
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return lease.key().equals(key)
                ? run("renew", (record, now) -> LeaseRules.renew(record, lease, ttl, now))
                : Optional.empty();
    }

    Optional<Renewal> renew(LeaseRef lease) {
        return run("renew", (record, now) -> LeaseRules.renew(record, lease, now));
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        check(request.key());
        return run("release", (record, now) -> LeaseRules.release(record, request, now));
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        check(request.lease().key());
        return run("settle", (record, now) -> LeaseRules.settle(record, request, now));
    }

    @Override
    public Optional<LeaseSnapshot> find(Key wanted) {
        if (!wanted.equals(key)) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(read());
        } catch (IOException e) {
            throw failure("read", e);
        }
    }

    @Override
    public Page list(ListRequest request) {
        List<LeaseSnapshot> found = find(key)
                .filter(snapshot -> request.covers(key)
                        && request.states().contains(snapshot.record().state()))
                .stream()
                .toList();
        return new Page(found, null);
    }

    <R> R run(String verb, Decision<R> decision) {
        try {
            return change(verb, decision);
        } catch (IOException e) {
            throw failure(verb, e);
        }
    }

    Key key() {
        return key;
    }

    Path file() {
        return file;
    }

    /** Returns whether only this host uses the file. */
    boolean isLocal() {
        return isLocal;
    }

    RuntimeException failure(String verb, IOException e) {
        return IoFailure.of(verb + " the lease in " + file, e);
    }

    void check(Key wanted) {
        if (!wanted.equals(key)) {
            throw new IllegalArgumentException(
                    "The file " + file + " is for the key " + key + " only, not for " + wanted + ".");
        }
    }

    /** Not made yet, or deleted just now by a release. */
    private static Path realPathOfNone(Path absolute, Path parent, Path name, NoSuchFileException cause) {
        if (Files.isSymbolicLink(absolute)) {
            // To a file that was never made, whose place nobody can know.
            throw new StoreException(
                    "A lock needs a file, not a symbolic link that leads nowhere: " + absolute + ".", cause);
        }
        try {
            return parent.toRealPath().resolve(name);
        } catch (IOException e) {
            throw IoFailure.of("find " + absolute, e);
        }
    }

    /** The same for all paths that lead to the file. */
    private static Path realPath(Path file) {
        Path absolute = file.toAbsolutePath();
        Path parent = absolute.getParent();
        Path name = absolute.getFileName();
        if (parent == null || name == null || !file.getFileSystem().equals(FileSystems.getDefault())) {
            throw new StoreUnsupportedException(
                    "A lock needs a file of the machine's own file system, not " + file + ".");
        }
        if (!Files.isDirectory(parent) || Files.isDirectory(absolute)) {
            throw new StoreException("A lock needs a file in a directory that exists: " + file + " is a directory, or"
                    + " what it is in is not. Make the directory first.");
        }
        try {
            return absolute.toRealPath();
        } catch (NoSuchFileException e) {
            return realPathOfNone(absolute, parent, name, e);
        } catch (IOException e) {
            throw IoFailure.of("find " + file, e);
        }
    }
}
