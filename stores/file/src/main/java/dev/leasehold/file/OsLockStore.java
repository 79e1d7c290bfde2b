package dev.leasehold.file;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.store.Tenure;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One lease in one file, held by an operating-system lock for as long as its process lives.
 *
 * <p>The lease never expires: its remaining time is {@link Micros#FOREVER}, and renewing it only finds out whether the
 * file is still in its place. When the process dies, the system drops the lock and the next caller gets the lease.
 * For one with a lock delay, the delay begins when a caller first notices the death.
 * A process that others could not recognise, because it may not read the boot id of its host, is refused.
 *
 * <p>A system drops such locks at other times too: when any code in the process closes the file. So the lock alone
 * proves nothing, and whoever wants the lease needs both: the lock, and a holder, named in the file, that has released
 * or is provably dead. A holder in another process namespace, or on another host, cannot be proved dead until the host
 * is booted again; its lease is then freed by deleting the file.
 *
 * <p>A copy of the file that was made while the lease was held is another lease, and free: the record names its own file
 * by the number that the file system has for it. File systems in user space give other numbers than those below them, so
 * there a copy is held as long as the original.
 *
 * <p>The file stays after the release and keeps the fence. Only the holder's own process can renew, release or settle.
 * All stores of one process for one file act as one. Closing the store keeps the lease. A release that failed is tried again
 * by the process's next acquire, and when a store is closed. Safe for many threads.
 */
public final class OsLockStore extends OneKeyStore {
    /** Long enough that what remains of it is "for ever" for the next hundred years. */
    private static final long UNENDING_MICROS = 2 * Micros.of(Micros.FOREVER);

    private final OsLockFile lockFile;
    private final Machine machine;
    private final boolean numbersFiles;

    /**
     * The lease of this key, in this file. The directory must exist.
     *
     * @throws StoreUnsupportedException if it is on a network file system
     */
    public static OsLockStore at(Path file, Key key) {
        return new OsLockStore(file, key, Machine.here(), false);
    }

    /**
     * The same, where other hosts may reach the file. Nobody can tell there whether a holder of another host died. The
     * host that exports the file opens it in this way too.
     */
    public static OsLockStore onAnyFileSystem(Path file, Key key) {
        return new OsLockStore(file, key, Machine.here(), true);
    }

    OsLockStore(Path file, Key key, Machine machine, boolean allowsNetwork) {
        super(file, key, machine, allowsNetwork);
        this.machine = machine;
        this.lockFile = OsLockFiles.at(file());
        this.numbersFiles = isLocal() && FileSystemKind.numbersFiles(file());
    }

    @Override
    public String name() {
        return "os-lock";
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        makeUpForFailedReleases();
        AcquireResult result = super.acquire(request);
        return result instanceof AcquireResult.Granted granted
                ? new AcquireResult.Granted(
                        granted.fence(), Micros.FOREVER, granted.attempt(), granted.predecessor(), granted.checkpoint())
                : result;
    }

    /** The same as a renewal without a TTL: there is none to change. */
    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return lease.key().equals(key()) ? renew(lease) : Optional.empty();
    }

    /** Writes nothing: there is no time to extend. */
    @Override
    Optional<Renewal> renew(LeaseRef lease) {
        synchronized (lockFile) {
            try {
                boolean isOurs = lockFile.isLocked();
                LeaseRecord record = readChecked().record();
                boolean isHeld = record != null && record.state() == State.HELD && lease.equals(record.ref());
                if (isOurs && isHeld) {
                    return Optional.of(new Renewal(lease, Micros.FOREVER));
                }
                OsLockFiles.ended(lease);
                return Optional.empty();
            } catch (IOException e) {
                throw failure("renew", e);
            }
        }
    }

    /** Drops nothing: there is one record, and it keeps the fence. */
    @Override
    public int purge(Duration retained, int limit) {
        return 0;
    }

    /** A release that fails is remembered for this process: no expiry would ever end the lease. */
    @Override
    public ReleaseResult release(ReleaseRequest request) {
        synchronized (lockFile) {
            Fence fence = request.fence();
            if (fence != null) {
                OsLockFiles.ended(new LeaseRef(request.key(), request.nonce(), fence));
            }
            try {
                return super.release(request);
            } catch (StoreException e) {
                lockFile.owe(request);
                throw e;
            }
        }
    }

    /** Tries once more what earlier releases could not do. Those that fail again stay for a later call. */
    private void makeUpForFailedReleases() {
        synchronized (lockFile) {
            boolean isWorking = true;
            for (ReleaseRequest owed : lockFile.takeOwedReleases()) {
                try {
                    if (isWorking) {
                        release(owed);
                    } else {
                        lockFile.owe(owed);
                    }
                } catch (StoreException e) {
                    isWorking = false; // It is owed again, and the caller is told who has the lease.
                }
            }
        }
    }

    /** Makes up for releases that failed. Any other lease is the process's, and lives on. */
    @Override
    public void close() {
        makeUpForFailedReleases();
    }

    @Override
    @Nullable
    LeaseSnapshot read() throws IOException {
        synchronized (lockFile) {
            LeaseRecord record = readChecked().record();
            return record == null
                    ? null
                    : new LeaseSnapshot(record, machine.wallMicros().getAsLong());
        }
    }

    @Override
    <R> R change(String verb, Decision<R> decision) throws IOException {
        Patience patience = new Patience();
        synchronized (lockFile) {
            while (true) {
                boolean wasLocked = lockFile.isLocked();
                try {
                    boolean isLocked = wasLocked || lockFile.lock(machine.disk());
                    if (isLocked) {
                        lockFile.drafts().sweepOnce(machine);
                    }
                    OsLockSlot slot = readChecked();
                    long now = machine.wallMicros().getAsLong();
                    LeaseRecord record = seen(slot, isLocked, now);
                    Change<R> change = decision.on(record, now);
                    LeaseRecord next = change.record();
                    if (next == null || next.equals(record)) {
                        if (record != null && !record.equals(slot.record())) {
                            // A lock delay counts from when the death was noticed first, and not from each call anew.
                            OsLockSlot noticed =
                                    new OsLockSlot(slot.sequence() + 1, slot.process(), slot.number(), record);
                            lockFile.write(machine.disk(), noticed);
                        }
                        return change.result();
                    }
                    if (isLocked) {
                        write(slot.sequence() + 1, next);
                        return change.result();
                    }
                } finally {
                    if (!isHeldHere(wasLocked)) {
                        lockFile.unlock();
                    }
                }
                if (patience.isOver()) {
                    throw new StoreUnavailableException("Could not " + verb + " the lease in " + file()
                            + ": another process has the lock, and only the holder's own can do that: key " + key()
                            + ".");
                }
                patience.pause();
            }
        }
    }

    /** Returns whether the file is a copy of the one that its holder locked, so that what it says is about the other. */
    private boolean isCopy(OsLockSlot slot) {
        String number = lockFile.lockedNumber();
        return numbersFiles && number != null && slot.number() != null && !number.equals(slot.number());
    }

    /** The record, expired if we have the lock and the holder is dead, holds another file, or is done with the lease. */
    private @Nullable LeaseRecord seen(OsLockSlot slot, boolean isLocked, long now) {
        LeaseRecord record = slot.record();
        ProcessMark holder = slot.process();
        boolean isOrphaned = isLocked
                && record != null
                && record.state() == State.HELD
                && !record.isOver(now)
                && holder != null
                && (isCopy(slot)
                        || isLeftByThisProcess(holder, record.ref())
                        || machine.processes().fateOf(holder, isLocal()) == Fate.GONE);
        return record != null && isOrphaned ? with(record, record.tenure(), now) : record;
    }

    private boolean isLeftByThisProcess(ProcessMark holder, @Nullable LeaseRef lease) {
        return lease != null
                && holder.equals(machine.processes().self())
                && OsLockFiles.isEnded(lease)
                && !lockFile.owes(lease.nonce()); // That release is made up for first.
    }

    private void write(long sequence, LeaseRecord next) throws IOException {
        ProcessMark self = machine.processes().self();
        if (self == null) {
            // Not "unsupported": the others have locks on this file system, and a fallback would not see them.
            throw machine.processes().unrecognised("so no other could tell when it is gone and take over " + file());
        }
        Tenure tenure = next.tenure();
        if (next.state() != State.HELD || tenure == null) {
            lockFile.write(machine.disk(), new OsLockSlot(sequence, null, null, next));
            return;
        }
        Tenure unending = new Tenure(
                tenure.nonce(), tenure.owner(), UNENDING_MICROS, tenure.sinceMicros(), tenure.checkpointNumber());
        LeaseRecord held = with(next, unending, tenure.sinceMicros() + UNENDING_MICROS);
        String number = numbersFiles ? lockFile.lockedNumber() : null;
        lockFile.write(machine.disk(), new OsLockSlot(sequence, self, number, held));
    }

    /** Where it cannot be found out, what was locked before stays locked. */
    private boolean isHeldHere(boolean otherwise) {
        try {
            if (!lockFile.isLocked()) {
                return false;
            }
            OsLockSlot slot = lockFile.read(machine.disk());
            return slot.process() != null
                    && slot.process().equals(machine.processes().self());
        } catch (IOException | StoreException e) {
            return otherwise;
        }
    }

    private OsLockSlot readChecked() throws IOException {
        OsLockSlot slot = lockFile.read(machine.disk());
        LeaseRecord record = slot.record();
        if (record != null && !record.key().equals(key())) {
            throw new StoreException("The file " + file() + " has the lease of the key " + record.key() + ", not of "
                    + key() + ". Use one file for one key.");
        }
        return slot;
    }

    private static LeaseRecord with(LeaseRecord record, @Nullable Tenure tenure, long expiryMicros) {
        return new LeaseRecord(
                record.key(),
                record.fence(),
                record.state(),
                tenure,
                record.tombstone(),
                expiryMicros,
                record.cooldownMicros(),
                record.progress(),
                record.line());
    }
}
