package dev.leasehold.file;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Progress;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One lease in one visible file with a time limit, such as {@code project/.lock}.
 *
 * <p>The file is there while the lease is held, and people can read in it by whom and until when. A file whose time is
 * over is an orphan and is taken over. Release deletes it. While no call is under way there is no other file; a process
 * that dies in the middle of one may leave a sibling, which a later call sweeps. A file that is damaged is an error and
 * never a free lease.
 *
 * <p>Nothing is kept after the release: there are no answers, no cooldown and no count of attempts, and a late
 * duplicate of an acquire is recognised by this object only. Fences grow because they are no smaller than the wall
 * clock, which also decides expiry. The file system needs hard links, but no locks. Safe for many threads.
 */
public final class LockFileStore extends OneKeyStore {
    private final LockFile lockFile;
    private final Machine machine;
    private final Set<LeaseRef> unreleased = ConcurrentHashMap.newKeySet();
    private volatile @Nullable LeaseRecord lastReleased;

    /** The lease of this key, in this file. The directory must exist. */
    public static LockFileStore at(Path file, Key key) {
        return new LockFileStore(file, key, Machine.here());
    }

    LockFileStore(Path file, Key key, Machine machine) {
        super(realPath(file), key);
        this.machine = machine;
        this.lockFile = new LockFile(file(), machine);
    }

    @Override
    public String name() {
        return "lock-file";
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        unreleased.forEach(this::releaseLate);
        return super.acquire(request);
    }

    /**
     * {@inheritDoc}
     *
     * @throws StoreUnavailableException if the file cannot be deleted. The lease then ends with its time, and the next
     *     acquire of this object tries again first.
     */
    @Override
    public ReleaseResult release(ReleaseRequest request) {
        if (!request.cooldown().isZero() || request.ending() == ReleaseRequest.Ending.KEEP_ATTEMPTS) {
            throw keepsNothing();
        }
        try {
            ReleaseResult result = super.release(request);
            unreleased.removeIf(lease -> lease.nonce().equals(request.nonce()));
            return result;
        } catch (StoreException e) {
            if (request.fence() != null) {
                unreleased.add(new LeaseRef(request.key(), request.nonce(), request.fence()));
            }
            throw e;
        }
    }

    /** @throws StoreUnsupportedException always: a lock file keeps no answers */
    @Override
    public SettleResult settle(SettleRequest request) {
        throw keepsNothing();
    }

    @Override
    public int purge(Duration retained, int limit) {
        return run(
                "purge",
                (record, now) -> limit > 0
                                && record != null
                                && record.state() == State.HELD
                                && LeaseRules.isPurgeable(record, retained, now)
                        ? new Change<>(free(record.fence(), record.tombstone()), 1, List.of())
                        : new Change<>(record, 0, List.of()));
    }

    /** Does nothing: the store holds no file open. */
    @Override
    public void close() {}

    @Override
    @Nullable
    LeaseSnapshot read() throws IOException {
        LockContent content = readChecked();
        return content == null
                ? null
                : new LeaseSnapshot(content.record(), machine.wallMicros().getAsLong());
    }

    @Override
    <R> R change(String verb, Decision<R> decision) throws IOException {
        Patience patience = new Patience();
        while (true) {
            LockContent content = readChecked();
            LeaseRecord record = content == null ? lastReleased : content.record();
            Change<R> change = decision.on(record, machine.wallMicros().getAsLong());
            LeaseRecord next = change.record();
            if (next == null || next.equals(record)) {
                return change.result();
            }
            if (content == null) {
                // A lease may have come and gone since it was seen that there is no file, with a larger fence than
                // this one's. So first make the file, free, and then decide about what it is.
                lockFile.create(LockContent.of(record == null ? free(Fence.of(1), null) : record));
                continue;
            }
            boolean staysHeld = next.state() == State.HELD;
            if (lockFile.replace(content, staysHeld ? LockContent.of(next) : null)) {
                lastReleased = staysHeld ? null : next;
                return change.result();
            }
            if (patience.isOver()) {
                throw new StoreUnavailableException("Others kept changing " + file() + " for "
                        + Patience.LIMIT.toSeconds() + " s, or one of them was stopped while it did. Look for "
                        + file().getFileName() + ".* beside it: key " + key() + ".");
            }
            patience.pause();
        }
    }

    private @Nullable LockContent readChecked() throws IOException {
        LockContent content = lockFile.read();
        if (content != null && !content.record().key().equals(key())) {
            throw new StoreException("The file " + file() + " has the lease of the key "
                    + content.record().key() + ", not of " + key() + ". Use one file for one key.");
        }
        return content;
    }

    private void releaseLate(LeaseRef lease) {
        try {
            release(ReleaseRequest.of(lease));
        } catch (StoreException e) {
            // It was reported when it first failed; its time will end it.
        }
    }

    private LeaseRecord free(Fence fence, @Nullable Nonce tombstone) {
        return new LeaseRecord(key(), fence, State.FREE, null, tombstone, 0, 0, Progress.NONE, List.of());
    }

    private StoreUnsupportedException keepsNothing() {
        return new StoreUnsupportedException("A lock file keeps nothing after the release: no answers, no cooldown, no"
                + " count of attempts. Use a FileLeaseStore or a database for that: key " + key() + ".");
    }
}
