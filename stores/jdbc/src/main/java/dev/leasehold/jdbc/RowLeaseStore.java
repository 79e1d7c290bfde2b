package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import dev.leasehold.jdbc.RowMemory.Mark;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Page;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Leases on rows of the user's own table, by a {@link RowMapping}: the row's status is checked and the row is locked in
 * one statement. A row that is not there gives {@link AcquireResult.Missing}, one that is finished
 * {@link AcquireResult.Settled}.
 *
 * <p>Open it with {@link JdbcLeaseStoreBuilder#onRows}. It needs none of Leasehold's tables, changes no column but the
 * mapped ones, and locks one row at a time, for one statement. Whatever else holds for {@link JdbcLeaseStore} holds here
 * too, with these limits, because a row has no place for more:
 *
 * <ul>
 *   <li>No line: callers that wait ask again from time to time. No cooldown, no fingerprint, no checkpoint, no answer
 *       with bytes: requests with one are refused with a {@link StoreException}. Where acquire makes the rows, as in
 *       {@link RowMapping#workerLock}, a lock delay is refused, too: scripts and other callers delete a row as soon as it
 *       has expired.
 *   <li>Attempts are not counted. Settling as done or failed clears the lock and nothing else: the status of the row is
 *       for the user's own transaction to write, guarded by {@link #fence}.
 *   <li>Without a nonce column, a grant whose reply was lost keeps the row locked until it expires.
 *   <li>Without a fence column, fences are the store's clock: they grow as long as it does, and no row keeps them.
 *   <li>Without either, a lease is known by the moment that was written, which this object remembers. So only the
 *       object that acquired a lease can renew or release it, and on a column of whole seconds a release whose reply was
 *       lost is not tried again: the row stays locked until it expires.
 * </ul>
 *
 * <p>Safe for use by many threads.
 */
public final class RowLeaseStore implements LeaseStore {
    private final String name;
    private final Database database;
    private final RowTable table;
    private final RowStatements statements;
    private final RowMemory memory = new RowMemory();
    private final RowAcquiring acquiring;
    private final RowRenewing renewing;
    private final Duration longestCall;

    RowLeaseStore(String name, Database database, RowTable table, Duration longestCall) {
        this.name = name;
        this.database = database;
        this.table = table;
        this.statements = new RowStatements(table);
        this.acquiring = new RowAcquiring(table, statements, memory);
        this.renewing = new RowRenewing(table, statements, memory);
        this.longestCall = longestCall;
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * Locks the row, or says why not.
     *
     * @throws StoreException if the key does not begin with the mapping's prefix, or a row cannot do what is asked
     */
    @Override
    public AcquireResult acquire(AcquireRequest request) {
        Optional<Object> row = table.row(request.key());
        if (request.fingerprint() != null) {
            throw cannot("keep a fingerprint", request.key());
        }
        if (table.mapping.makesRows() && !request.lockDelay().isZero()) {
            throw cannot("keep a lock delay", request.key());
        }
        table.mapping.fixedTtlMicros().ifPresent(ttl -> {
            if (Micros.of(request.ttl()) > ttl) {
                throw new StoreException("A row of " + table.mapping.tableName() + " is locked for "
                        + Micros.toDuration(ttl) + " at a time, so a TTL of " + request.ttl()
                        + " cannot be had: key " + request.key() + ". Leases are renewed, so a shorter one will do.");
            }
        });
        if (memory.isSpent(request.nonce())) {
            return new AcquireResult.Spent();
        }
        if (row.isEmpty()) {
            if (table.mapping.makesRows()) {
                throw new StoreException("The key does not fit into the column " + table.key.column() + " of "
                        + table.mapping.tableName() + ": " + request.key() + ".");
            }
            return new AcquireResult.Missing();
        }
        return inTurn(request.nonce(), () -> database.run(lane -> acquiring.acquire(lane, request, row.get())));
    }

    /**
     * One row at a time: while one is locked by a transaction of the user's, or another call about its lease is under way,
     * the others do not wait for it.
     */
    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        List<Renewal> first =
                leases.stream().flatMap(lease -> renewAtOnce(lease).stream()).toList();
        // Those that have expired and are locked come last, because they are waited for, together until the end.
        long end = System.nanoTime() + longestCall.toNanos() / 2;
        return first.stream()
                .flatMap(renewal -> !renewal.isExtended() && renewal.remaining().isZero()
                        ? renewPatiently(renewal, end).stream()
                        : Stream.of(renewal))
                .toList();
    }

    private interface RenewingOne {
        Optional<Renewal> renew(Lane lane, LeaseRef lease, Object row) throws SQLException;
    }

    /** If another call about the lease is under way, the row is only read. */
    private Optional<Renewal> renewAtOnce(LeaseRef lease) {
        return renewInTurn(lease, System.nanoTime(), renewing::renew, () -> send(lease, renewing::read));
    }

    /** If another call about the lease is under way until the end, the first answer stands. */
    private Optional<Renewal> renewPatiently(Renewal first, long end) {
        return System.nanoTime() - end > 0
                ? Optional.of(first)
                : renewInTurn(first.lease(), end, renewing::renewPatiently, () -> Optional.of(first));
    }

    private Optional<Renewal> renewInTurn(
            LeaseRef lease, long end, RenewingOne verb, Supplier<Optional<Renewal>> otherwise) {
        if (!table.isMarkedByTime()) {
            return send(lease, verb);
        }
        ReentrantLock turn = memory.turn(lease.nonce());
        if (!isBegun(turn, end)) {
            return otherwise.get();
        }
        try {
            return send(lease, verb);
        } finally {
            turn.unlock();
        }
    }

    private Optional<Renewal> send(LeaseRef lease, RenewingOne verb) {
        return table.row(lease.key()).flatMap(row -> database.runWithoutQueue(lane -> verb.renew(lane, lease, row)));
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        if (!request.cooldown().isZero()) {
            throw cannot("keep a cooldown", request.key());
        }
        return end(request.key(), request.nonce(), request.fence()) ? ReleaseResult.RELEASED : ReleaseResult.NOT_HELD;
    }

    /**
     * Clears the lock.
     *
     * @throws StoreException if there is more to the settlement than being done or failed: a row has no place for it
     */
    @Override
    public SettleResult settle(SettleRequest request) {
        LeaseRef lease = request.lease();
        Settlement settlement = request.settlement();
        if (settlement.payload() != null || settlement.state() == State.HOLD || settlement.isCheckpoint()) {
            throw cannot("keep an answer, a checkpoint or a hold", lease.key());
        }
        return end(lease.key(), lease.nonce(), lease.fence()) ? SettleResult.SETTLED : SettleResult.SUPERSEDED;
    }

    private StoreException cannot(String what, Key key) {
        return new StoreException("A row of " + table.mapping.tableName() + " cannot " + what + ": key " + key + ".");
    }

    private boolean end(Key key, Nonce nonce, @Nullable Fence fence) {
        return inTurn(nonce, () -> endNow(key, nonce, fence));
    }

    private <T> T inTurn(Nonce nonce, Supplier<T> call) {
        if (!table.isMarkedByTime()) {
            return call.get();
        }
        ReentrantLock turn = beginTurn(nonce);
        try {
            return call.get();
        } finally {
            turn.unlock();
        }
    }

    /** Waits for as long as another call may take. */
    private ReentrantLock beginTurn(Nonce nonce) {
        ReentrantLock turn = memory.turn(nonce);
        if (!isBegun(turn, System.nanoTime() + longestCall.toNanos())) {
            throw new StoreUnavailableException("Another call about this lease on a row of " + table.mapping.tableName()
                    + " took longer than " + longestCall.toMillis() + " ms.");
        }
        return turn;
    }

    /** False if the turn did not come until the end. */
    private static boolean isBegun(ReentrantLock turn, long end) {
        boolean wasInterrupted = false;
        try {
            while (true) {
                try {
                    return turn.tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    wasInterrupted = true; // Calls are short; a caller that waits for a lease is woken otherwise.
                }
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean endNow(Key key, Nonce nonce, @Nullable Fence fence) {
        if (memory.isSpent(nonce)) {
            return true;
        }
        Optional<Object> row = table.row(key);
        Optional<Mark> mark = memory.mark(nonce, fence, table);
        if (row.isEmpty() || mark.isEmpty()) {
            return false;
        }
        Sending sending = new Sending();
        boolean isEnded;
        try {
            isEnded = database.run(lane -> {
                Parameters parameters = ours(table, lane, row.get(), nonce, fence, mark.get());
                sending.hasBegun = true;
                return lane.update(statements.release, parameters) > 0;
            });
        } catch (StoreException e) {
            if (sending.hasBegun && table.isMarkedByTime() && table.time.tickMicros() > 1) {
                // The row may be free by now, and be taken again by somebody who writes the same moment.
                memory.forget(nonce);
            }
            throw e;
        }
        if (isEnded) {
            memory.spend(nonce);
        } else {
            memory.forget(nonce);
        }
        return isEnded;
    }

    private static final class Sending {
        private boolean hasBegun;
    }

    /** What tells a lease's row from one that is no longer its own. */
    static Parameters ours(RowTable table, Lane lane, Object row, Nonce nonce, @Nullable Fence fence, Mark mark) {
        Parameters parameters = table.parameters(lane, row).text("nonce", nonce).text("owner", mark.owner());
        parameters.fence("fence", fence == null && !table.has(Role.NONCE) ? mark.fence() : fence);
        List<Long> stamps = mark.stamps();
        for (int i = 0; i < RowStatements.STAMPS; i++) {
            parameters.number(
                    RowStatements.stampName(i), stamps.isEmpty() ? -1 : stamps.get(Math.min(i, stamps.size() - 1)));
        }
        return parameters.number("sure", mark.sureUntil(table));
    }

    /**
     * Makes the caller's transaction stand or fall with the lease: the row is checked and locked on the caller's own
     * connection, and nobody can take it over until that transaction ends. What the caller writes after this, such as
     * the status of the row, is written with the current lease or not at all. The lease is not renewed meanwhile, so the
     * transaction should be shorter than the TTL.
     *
     * @throws StaleLeaseException if the lease is no longer current; the caller must roll back
     * @throws IllegalStateException if the connection commits by itself
     */
    public void fence(Connection connection, LeaseRef lease) throws SQLException {
        Transactions.require("fence()", connection, table.dialect);
        ReentrantLock turn = beginTurn(lease.nonce());
        try {
            Optional<Object> row = table.row(lease.key());
            Optional<Mark> mark = memory.mark(lease.nonce(), lease.fence(), table);
            if (row.isEmpty() || mark.isEmpty() || !isCurrent(connection, lease, row.get(), mark.get())) {
                throw new StaleLeaseException(lease);
            }
        } finally {
            turn.unlock();
        }
    }

    private boolean isCurrent(Connection connection, LeaseRef lease, Object row, Mark mark) throws SQLException {
        Lane lane = new Lane(connection, table.dialect);
        try {
            Parameters parameters = ours(table, lane, row, lease.nonce(), lease.fence(), mark);
            return table.dialect == Dialect.SQLITE
                    ? lane.update(statements.fence, parameters) > 0
                    : !lane.query(statements.fence, parameters, found -> true).isEmpty();
        } catch (SQLException e) {
            throw Transactions.explained(e, lease.key());
        } finally {
            lane.closeStatements(); // The connection is the caller's, and lives on.
        }
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        return table.row(key)
                .flatMap(row -> database.run(lane -> RowAcquiring.look(lane, statements, table, row, key)))
                .map(sight -> sight.snapshot(table, key));
    }

    /** Reads the whole table if there is nothing better to go by: for people, not for programs. */
    @Override
    public Page list(ListRequest request) {
        return database.runAside(lane -> new RowListing(table, statements).list(lane, request));
    }

    /** Drops nothing: the rows are the user's. */
    @Override
    public int purge(Duration retained, int limit) {
        return 0;
    }

    /** Longer on columns that count in whole seconds. */
    @Override
    public Duration shortestTtl() {
        return Micros.toDuration(Math.max(1_000_000, 3 * table.time.tickMicros()));
    }

    /** An embedded H2 would be harmed by an interrupt of the calling thread, so it is called from ours. */
    @Override
    public Duration longestCall() {
        return table.dialect == Dialect.H2 ? Micros.FOREVER : longestCall;
    }

    /** Closes the store's connections. Leases live on. */
    @Override
    public void close() {
        database.close();
    }
}
