package dev.leasehold.file;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Progress;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One lease in one visible file with a time limit, such as {@code project/.lock}.
 *
 * <p>The file is there while the lease is held, and people can read in it by whom and until when. A file whose time is
 * over is an orphan and is taken over. Release deletes it, unless a cooldown, an answer or attempts are to be kept. A
 * release that cannot delete the file fails, but says in the file that the lease is over: the next acquire, of this or
 * another process, does not wait for the TTL, and the release after it deletes the file.
 *
 * <p>While no call is under way there is no other file; a process that dies in the middle of one may leave a sibling,
 * which a later call sweeps. A file that is damaged is an error and never a free lease.
 *
 * <p>Time is counted from when the file was made, by a clock that nobody can set; only a reboot goes back to the wall
 * clock, and where other hosts may reach the file the wall clock is all there is. Once the file is deleted nothing is
 * left: a late duplicate of an acquire is then recognised by this object only, and the next fence is the wall clock's
 * time, so it is smaller if that was set back meanwhile. The file system needs hard links, but no locks; do not give the
 * file a second name by a hard link of your own. Safe for many threads.
 */
public final class LockFileStore extends OneKeyStore {
    private final LockFile lockFile;
    private final Machine machine;
    private final boolean allowsOtherHosts;
    private volatile @Nullable LeaseRecord lastReleased;

    /**
     * The lease of this key, in this file. The directory must exist.
     *
     * @throws dev.leasehold.store.StoreUnsupportedException if it is on a network file system
     */
    public static LockFileStore at(Path file, Key key) {
        return new LockFileStore(file, key, Machine.here(), false);
    }

    /**
     * The same, where other hosts may reach the file: their wall clocks must agree, and their hard links hold. The host
     * that exports the file opens it in this way too.
     */
    public static LockFileStore onAnyFileSystem(Path file, Key key) {
        return new LockFileStore(file, key, Machine.here(), true);
    }

    LockFileStore(Path file, Key key, Machine machine, boolean allowsNetwork) {
        super(file, key, machine, allowsNetwork);
        this.machine = machine;
        this.allowsOtherHosts = allowsNetwork;
        this.lockFile = new LockFile(file(), machine, isLocal());
    }

    @Override
    public String name() {
        return "lock-file";
    }

    /** Deletes the file if its state has been over for so long. */
    @Override
    public int purge(Duration retained, int limit) {
        try {
            LockContent content = readChecked();
            boolean isDropped = limit > 0
                    && content != null
                    && LeaseRules.isPurgeable(
                            content.record(), retained, now(content).micros())
                    && lockFile.delete(content, null);
            return isDropped ? 1 : 0;
        } catch (IOException e) {
            throw failure("purge", e);
        }
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
                : new LeaseSnapshot(content.record(), now(content).micros());
    }

    @Override
    <R> R change(String verb, Decision<R> decision) throws IOException {
        Patience patience = new Patience();
        while (true) {
            LockContent content = readChecked();
            LeaseRecord record = content == null ? lastReleased : content.record();
            FileTime now = now(content);
            Change<R> change = decision.on(record, now.micros());
            LeaseRecord next = change.record();
            if (next == null) {
                return change.result();
            }
            boolean isUnchanged = next.equals(record);
            boolean mustDelete = content != null && !isWorthKeeping(next);
            // A release that could not delete the file is asked for again, and finds the record as it wants it.
            boolean isReleasedAgain = isUnchanged && ReleaseResult.RELEASED.equals(change.result());
            if (isUnchanged && !(mustDelete && isReleasedAgain)) {
                return change.result();
            }
            if (content != null) {
                LockContent changed = LockContent.of(next, now);
                boolean isWritten = mustDelete
                        ? lockFile.delete(content, isUnchanged ? null : changed)
                        : lockFile.replace(content, changed);
                if (isWritten) {
                    lastReleased = mustDelete ? next : null;
                    return change.result();
                }
            } else if (lockFile.create(LockContent.of(record == null ? neverHeld() : record, now))) {
                // A lease may have come and gone since it was seen that there is no file, with a larger fence than
                // this one's. So the file was made free, and now it is decided about what it is.
                continue;
            }
            if (patience.isOver()) {
                throw new StoreUnavailableException("Others kept changing " + file() + " for "
                        + Patience.LIMIT.toSeconds() + " s, or one of them was stopped while it did. Look for "
                        + file().getFileName() + ".* beside it: key " + key() + ".");
            }
            patience.pause();
        }
    }

    private static boolean isWorthKeeping(LeaseRecord record) {
        return record.state() != State.FREE
                || record.cooldownMicros() > 0
                || !record.progress().equals(Progress.NONE);
    }

    private LeaseRecord neverHeld() {
        return new LeaseRecord(key(), Fence.of(1), State.FREE, null, null, 0, 0, Progress.NONE, List.of());
    }

    private FileTime now(@Nullable LockContent content) {
        return content == null
                ? FileTime.first(machine, allowsOtherHosts)
                : content.written().later(machine, allowsOtherHosts);
    }

    private @Nullable LockContent readChecked() throws IOException {
        LockContent content = lockFile.read();
        if (content != null && !content.record().key().equals(key())) {
            throw new StoreException("The file " + file() + " has the lease of the key "
                    + content.record().key() + ", not of " + key() + ". Use one file for one key.");
        }
        return content;
    }
}
