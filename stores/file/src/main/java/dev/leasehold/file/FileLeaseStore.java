package dev.leasehold.file;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.History;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Page;
import dev.leasehold.store.Progress;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A directory of leases, shared by all processes of one host.
 *
 * <p>It needs no server and no operating-system lock. What a call has acknowledged survives {@code kill -9}, a crash of
 * the host and a full disk; a state file that is damaged is an error and never a free lease. The clock is the host's
 * monotonic one, so setting the wall clock does nothing.
 *
 * <p>The lease of a process that is gone can be taken at once, without waiting for its TTL, if its death can be proved:
 * same boot and same process namespace, and no such process, or a younger one with its number; or an earlier boot. A
 * caller that asks for a lock delay waits for the TTL all the same. Use {@link Options#outlivingProcesses()} where
 * leases are meant to outlive the process that asked for them.
 *
 * <p>Only local file systems are accepted unless {@link Options#allowingNetworkFileSystem()} is given; then hosts must
 * have their wall clocks right, and only the TTL frees what another host left behind. All hosts must give it, also the
 * one that exports a local directory of its own to the others. The file system must have hard links. Whoever may write
 * to the directory can act for every holder; give it to one user or group only.
 *
 * <p>A refused call only reads. Every change is one small file, forced to the disk; up to {@value KeyDirectory#KEPT}
 * old ones are kept per key. {@link #list} reads all records, whatever the size of the page. There are no wake-ups:
 * callers that wait must poll. Safe for many threads.
 */
public final class FileLeaseStore implements LeaseStore {
    private static final int STRIPES = 64;

    /**
     * What a store may be told. The defaults suit a directory on the host's own disk, used by processes that hold
     * their leases themselves.
     *
     * @param allowsNetworkFileSystem whether a file system that other hosts can reach is accepted
     * @param endsWithProcess whether a lease ends when the process that acquired or last renewed it does
     */
    public record Options(boolean allowsNetworkFileSystem, boolean endsWithProcess) {
        public static final Options DEFAULT = new Options(false, true);

        /**
         * Accepts NFS, SMB and the like. Safe only as far as their hard links are exclusive and clocks agree, and if
         * the host that exports the directory gives this option too: without it, that host takes the others' holders
         * for dead.
         */
        public Options allowingNetworkFileSystem() {
            return new Options(true, endsWithProcess);
        }

        /**
         * Lets leases live on for their TTL when the process that asked for them ends: for a server that is restarted,
         * or for a command that acquires a lease on behalf of a script.
         */
        public Options outlivingProcesses() {
            return new Options(allowsNetworkFileSystem, false);
        }
    }

    private final StoreDirectory directory;
    private final LongSupplier clockMicros;
    private final FileHistory history;
    private final Survivors survivors;
    private final @Nullable ProcessMark mark;
    private final Object[] stripes = new Object[STRIPES];

    /** A store in this directory, which is made if it is not there. */
    public static FileLeaseStore of(Path directory) {
        return of(directory, Options.DEFAULT);
    }

    /**
     * A store in this directory, which is made if it is not there.
     *
     * @throws dev.leasehold.store.StoreUnsupportedException if the file system cannot hold a store
     */
    public static FileLeaseStore of(Path directory, Options options) {
        return new FileLeaseStore(directory, options, Machine.here(), null);
    }

    /** @param clock what to count time by, in microseconds since 1970; {@code null} for the host's own clock */
    FileLeaseStore(Path directory, Options options, Machine machine, @Nullable LongSupplier clock) {
        this.directory = StoreDirectory.open(directory, options.allowsNetworkFileSystem(), machine);
        this.clockMicros = clock != null ? clock : this.directory.clock();
        this.history = this.directory.history(clockMicros);
        this.survivors = new Survivors(machine.processes(), this.directory.isLocal());
        this.mark = options.endsWithProcess() ? machine.processes().self() : null;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Object();
        }
    }

    @Override
    public String name() {
        return "file";
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        boolean trustsDeath = request.lockDelay().isZero();
        return change(
                request.key(), trustsDeath, request.nonce(), (record, now) -> LeaseRules.acquire(record, request, now));
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        List<Renewal> renewals = new ArrayList<>(leases.size());
        for (LeaseRef lease : leases) {
            change(lease.key(), false, lease.nonce(), (record, now) -> LeaseRules.renew(record, lease, now))
                    .ifPresent(renewals::add);
        }
        return renewals;
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return change(lease.key(), false, lease.nonce(), (record, now) -> LeaseRules.renew(record, lease, ttl, now));
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        return change(request.key(), true, null, (record, now) -> LeaseRules.release(record, request, now));
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        return change(request.lease().key(), false, null, (record, now) -> LeaseRules.settle(record, request, now));
    }

    /** A lease whose holder is provably dead is shown as expired. */
    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        try {
            return Optional.ofNullable(snapshot(directory.of(key)));
        } catch (IOException e) {
            throw failure("read", key, e);
        }
    }

    @Override
    public Page list(ListRequest request) {
        TreeMap<Key, LeaseSnapshot> found = new TreeMap<>();
        try {
            directory.forEachKey(keyDirectory -> {
                LeaseSnapshot snapshot = snapshot(keyDirectory);
                if (snapshot != null
                        && request.covers(snapshot.key())
                        && request.states().contains(snapshot.record().state())) {
                    found.put(snapshot.key(), snapshot);
                    if (found.size() > request.limit() + 1) {
                        found.pollLastEntry();
                    }
                }
                return true;
            });
        } catch (IOException e) {
            throw failure("list", null, e);
        }
        boolean hasMore = found.size() > request.limit();
        if (hasMore) {
            found.pollLastEntry();
        }
        return new Page(List.copyOf(found.values()), hasMore ? found.lastKey() : null);
    }

    /**
     * {@inheritDoc}
     *
     * <p>A record is closed by a version that nothing can follow, then its files go, then its directory if it is empty.
     * A caller that comes meanwhile finds it closed and makes a new one. What dead processes left is swept too.
     * A damaged record stays, for somebody to look at.
     */
    @Override
    public int purge(Duration retained, int limit) {
        long now = clockMicros.getAsLong();
        int[] dropped = {0};
        try {
            directory.sweep();
            directory.forEachKey(keyDirectory -> {
                if (dropped[0] < limit && drop(keyDirectory, retained, now)) {
                    dropped[0]++;
                }
                return dropped[0] < limit;
            });
        } catch (IOException e) {
            throw failure("purge", null, e);
        }
        return dropped[0];
    }

    /** In files below the same directory. Unlike leases, it needs locks of the operating system. */
    @Override
    public Optional<History> history() {
        return Optional.of(history);
    }

    @Override
    public Duration shortestTtl() {
        return Duration.ofMillis(100);
    }

    /** Does nothing: the store holds no file open. */
    @Override
    public void close() {}

    private boolean drop(KeyDirectory keyDirectory, Duration retained, long now) throws IOException {
        KeyDirectory.Sight sight;
        try {
            sight = keyDirectory.look(new Patience());
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (StoreException e) {
            return false;
        }
        Version version = sight.current();
        LeaseRecord record = version == null ? null : version.record();
        if (record == null) {
            keyDirectory.remove(sight.names());
            return false;
        }
        if (!LeaseRules.isPurgeable(record, retained, now)) {
            return false;
        }
        directory.markPassed(now);
        try {
            return keyDirectory.purge(sight);
        } catch (KeyDirectory.OvertakenException e) {
            // Whoever changed it meanwhile needs it.
            return false;
        }
    }

    private @Nullable LeaseSnapshot snapshot(KeyDirectory keyDirectory) throws IOException {
        Version version = keyDirectory.look(new Patience()).current();
        LeaseRecord record = version == null ? null : version.record();
        if (version == null || record == null) {
            return null;
        }
        long now = clockMicros.getAsLong();
        return new LeaseSnapshot(survivors.of(version, record, now), now);
    }

    /**
     * Changes a record by a rule, again and again until nobody else changed it in between.
     *
     * @param trustsDeath whether what the dead left counts as over
     * @param actor for whom this process acts by asking
     */
    private <R> R change(Key key, boolean trustsDeath, @Nullable Nonce actor, Decision<R> decision) {
        Patience patience = new Patience();
        // For economy only: threads of one process would otherwise race each other to the disk.
        synchronized (stripes[Math.floorMod(key.hashCode(), STRIPES)]) {
            try {
                while (true) {
                    Optional<R> result = tryToChange(key, patience, trustsDeath, actor, decision);
                    if (result.isPresent()) {
                        return result.get();
                    }
                    if (patience.isOver()) {
                        throw new StoreUnavailableException("Others kept changing the record for "
                                + Patience.LIMIT.toSeconds() + " s, or a file that is not ours is in "
                                + directory.of(key)
                                + ": key " + key + ".");
                    }
                    patience.pause();
                }
            } catch (IOException e) {
                throw failure("change", key, e);
            }
        }
    }

    /** Empty if somebody else changed the record first. */
    private <R> Optional<R> tryToChange(
            Key key, Patience patience, boolean trustsDeath, @Nullable Nonce actor, Decision<R> decision)
            throws IOException {
        KeyDirectory keyDirectory = directory.of(key);
        KeyDirectory.Sight sight = keyDirectory.look(patience);
        Version version = sight.current();
        long passed = version == null ? directory.passedMicros() : 0;
        long now = clockMicros.getAsLong();
        LeaseRecord record = version == null ? unrecorded(key, passed) : version.record();
        if (trustsDeath && version != null && record != null) {
            record = survivors.of(version, record, now);
        }
        Change<R> change = decision.on(record, now);
        LeaseRecord next = change.record();
        if (next == null || next.equals(record)) {
            return Optional.of(change.result());
        }
        Version written = version(version, next, actor);
        try {
            boolean isWritten = version == null
                    ? create(keyDirectory, sight, written, passed)
                    : keyDirectory.append(sight, written);
            return isWritten ? Optional.of(change.result()) : Optional.empty();
        } catch (KeyDirectory.OvertakenException e) {
            // Asking again tells whoever acquires or renews how things stand. But of a release or an answer that others
            // came after, nothing may be left to see.
            if (actor == null) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private Version version(@Nullable Version present, LeaseRecord next, @Nullable Nonce actor) {
        Map<Nonce, ProcessMark> known = new HashMap<>(present == null ? Map.of() : present.processes());
        if (actor != null) {
            known.remove(actor);
            if (mark != null) {
                known.put(actor, mark);
            }
        }
        return present == null ? Version.first(next, known) : present.next(next, known);
    }

    /** @param passed the last purge before it was decided to make the record */
    private boolean create(KeyDirectory keyDirectory, KeyDirectory.Sight sight, Version first, long passed)
            throws IOException {
        if (!keyDirectory.create(sight, first)) {
            return false;
        }
        if (directory.passedMicros() == passed) {
            return true;
        }
        // Since it was seen that there is no record, one may have come and been purged, and its fence may have been
        // larger than this one's. Take the lease back and decide about the record that there is now.
        Fence fence = Objects.requireNonNull(first.record()).fence();
        keyDirectory.append(KeyDirectory.Sight.NOTHING, first.next(free(first.key(), fence), Map.of()));
        return false;
    }

    /** A key without a record. Its fence is larger than those of purged records, although a wall clock was set back. */
    private static @Nullable LeaseRecord unrecorded(Key key, long passed) {
        return passed == 0 ? null : free(key, Fence.of(passed));
    }

    private static LeaseRecord free(Key key, Fence fence) {
        return new LeaseRecord(key, fence, State.FREE, null, null, 0, 0, Progress.NONE, List.of());
    }

    private StoreException failure(String verb, @Nullable Key key, IOException e) {
        String attempt = verb + (key == null ? "" : " the record of key " + key) + " in " + directory;
        return directory.isThere() ? IoFailure.of(attempt, e) : IoFailure.removed(attempt, e);
    }
}
