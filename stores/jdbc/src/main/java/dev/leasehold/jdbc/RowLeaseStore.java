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
import dev.leasehold.store.RecordTraits;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseRequest.Ending;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StaleLeaseException;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.store.Uninterrupted;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Leases on rows of the user's own table, by a {@link RowMapping}: the row's status is checked and the row is locked in
 * one statement. A row that is not there gives {@link AcquireResult.Missing}, one that is finished
 * {@link AcquireResult.Settled}.
 *
 * <p>Open it with {@link JdbcLeaseStoreBuilder#onRows}. It needs none of Leasehold's tables, changes no column but the
 * mapped ones, and locks a row for one statement; a statement that locks many at once waits for none. Whatever else holds
 * for {@link JdbcLeaseStore} holds here too, with these limits, because a row has no place for more:
 *
 * <ul>
 *   <li>No line: callers that wait ask again from time to time. No cooldown, no fingerprint, no checkpoint, no answer
 *       with bytes: requests with one are refused with a {@link StoreException}. Where acquire makes the rows, as in
 *       {@link RowMapping#workerLock}, a lock delay is refused, too: scripts and other callers delete a row as soon as it
 *       has expired.
 *   <li>Attempts are counted only in a column for them. It is 0 again after a settlement and after a release that is not for
 *       another try: an attempt of before says nothing about work that its owner wants done anew.
 *   <li>Settling with fields writes them, marks the row as the mapping says and clears the lock, in one statement. Settling
 *       without fields clears the lock and the attempts and nothing else: the status of the row is then for the user's own
 *       transaction to write, guarded by {@link #fence}.
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
    private static final String OWN_TABLES = "Leave it out, or use a store with Leasehold's own tables.";

    private final String name;
    private final Database database;
    private final RowTable table;
    private final boolean waitsForReleases;
    private final RowStatements statements;
    private final RowMemory memory = new RowMemory();
    private final KeyMemory keys = new KeyMemory();
    private final RowReleasing releasing;
    private final RowRenewing renewing;
    private final RowRenewingMany renewingMany;

    /** Replaced when the table has lost a column. */
    private volatile Reading reading;

    /** The statements that read the columns of a run. Without {@code reads}, a run reads all columns. */
    private record Reading(
            RowTable table,
            RowStatements statements,
            RowAcquiring acquiring,
            RowPassing passing,
            RowReplaying replaying,
            RowSettling settling) {}

    RowLeaseStore(String name, Database database, RowTable table, boolean waitsForReleases) {
        this.name = name;
        this.database = database;
        this.table = table;
        this.waitsForReleases = waitsForReleases;
        this.statements = new RowStatements(table, waitsForReleases);
        this.releasing = new RowReleasing(table, statements);
        this.renewing = new RowRenewing(table, statements, memory);
        this.renewingMany = new RowRenewingMany(table, statements, memory, renewing);
        this.reading = reading(table, statements);
    }

    private Reading reading(RowTable found, RowStatements on) {
        RowAcquiring acquiring = new RowAcquiring(found, on, memory, database.callLimit());
        return new Reading(
                found,
                on,
                acquiring,
                new RowPassing(found, on, memory, keys),
                new RowReplaying(found, on, acquiring),
                new RowSettling(found, on));
    }

    /**
     * Does this, and once more if a column was gone that the run does not need. What was written before the column was missed
     * is found by the second try, as after a lost reply.
     */
    private <T> T readingColumns(Database call, Function<Reading, T> verb) {
        Reading first = reading;
        try {
            return verb.apply(first);
        } catch (MissingColumnException e) {
            return verb.apply(lookAgain(call, first));
        }
    }

    /**
     * The table as it is now.
     *
     * @throws StoreException if a column is gone that the mapping names
     */
    private synchronized Reading lookAgain(Database call, Reading known) {
        if (reading.equals(known)) { // Another call may have looked again meanwhile.
            RowTable found = call.run(lane -> RowTable.find(lane.connection(), table.dialect, table.mapping));
            reading = reading(found, new RowStatements(found, waitsForReleases));
        }
        return reading;
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
            throw cannot("keep a fingerprint", OWN_TABLES, request.key());
        }
        if (table.mapping.makesRows() && !request.lockDelay().isZero()) {
            throw cannot("keep a lock delay", OWN_TABLES, request.key());
        }
        table.mapping.fixedTtlMicros().ifPresent(ttl -> {
            if (Micros.of(request.ttl()) > ttl) {
                throw new StoreException("A row of " + table.mapping.tableName() + " is locked for "
                        + Micros.toDuration(ttl) + " at a time, so a TTL of " + request.ttl()
                        + " cannot be had: key " + request.key() + ". Leases are renewed, so a shorter one will do.");
            }
        });
        if (memory.isEnded(request.key(), request.nonce())) {
            return new AcquireResult.Spent();
        }
        if (row.isEmpty()) {
            if (table.mapping.makesRows()) {
                throw new StoreException("The key does not fit into the column " + table.key.column() + " of "
                        + table.mapping.tableName() + ": " + request.key() + ".");
            }
            return new AcquireResult.Missing();
        }
        Database call = database.forOneCall();
        try {
            return readingColumns(
                    call, columns -> inTurn(call, request.nonce(), () -> acquire(call, columns, request, row.get())));
        } catch (StoreException e) {
            if (!(e instanceof StoreUnavailableException)) {
                giveBack(request, e);
            }
            throw e;
        }
    }

    private AcquireResult acquire(Database call, Reading columns, AcquireRequest request, Object row) {
        boolean isUnknown = keys.isUnknown(request.key());
        AcquireResult result = null;
        if (table.canRun() && keys.isSettled(request.key())) {
            result = call.run(columns.replaying, new RowReplaying.Asking(request, row))
                    .settled();
        } else if (columns.passing.isLikely(request)) {
            result = call.run(columns.passing, new RowPassing.Taking(request, row))
                    .granted();
        }
        if (result == null) {
            result = call.run(lane -> columns.acquiring.acquire(lane, request, row));
        }
        if (isUnknown) {
            keys.guessFree(result instanceof AcquireResult.Granted);
        }
        if (result instanceof AcquireResult.Granted || result instanceof AcquireResult.Held) {
            keys.sawHeld(request.key(), false);
        } else if (result instanceof AcquireResult.Settled settled) {
            keys.sawSettled(request.key(), settled.settlement().state());
        } else {
            keys.forget(request.key());
        }
        return result;
    }

    /** The caller is told that it has no lease, so the row must not stay locked for it. */
    private void giveBack(AcquireRequest request, StoreException cause) {
        try {
            end(ReleaseRequest.withdrawing(request.key(), request.nonce()).withEnding(Ending.KEEP_ATTEMPTS));
        } catch (StoreException e) {
            cause.addSuppressed(e);
        }
    }

    /**
     * Many rows go together in one statement, and those that it left alone one at a time: while one is locked by a
     * transaction of the user's, or another call about its lease is under way, the others do not wait for it. Many rows take
     * as long as they need: the answers for the first would otherwise be lost with that for the last.
     */
    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        Database call = leases.size() == 1 ? database.forOneCall() : database;
        Map<LeaseRef, Optional<Renewal>> together = renewingMany.renew(call, leases);
        List<Renewal> first = leases.stream()
                .flatMap(lease -> {
                    Optional<Renewal> renewal = together.get(lease);
                    return (renewal == null ? renewAtOnce(call, lease) : renewal).stream();
                })
                .toList();
        // Those that have expired and are locked come last, because they are waited for, together until the end.
        long end = call.end() - database.longestCall().toNanos() / 2;
        return first.stream()
                .flatMap(renewal -> !renewal.isExtended() && renewal.remaining().isZero()
                        ? renewPatiently(call, renewal, end).stream()
                        : Stream.of(renewal))
                .toList();
    }

    /**
     * As {@link #renew(List)} does, for this TTL.
     *
     * @throws StoreUnsupportedException if all rows are locked for the TTL of the mapping
     */
    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        if (table.mapping.fixedTtlMicros().isPresent()) {
            throw new StoreUnsupportedException("A row of " + table.mapping.tableName()
                    + " holds when it was locked, and for how long is part of the mapping: key " + lease.key()
                    + ". Map an expiry column to choose the TTL of each lease.");
        }
        long micros = Micros.of(ttl);
        RenewingOne verb = (lane, same, row) -> renewing.renew(lane, same, row, micros);
        Database call = database.forOneCall();
        return renewInTurn(call, lease, System.nanoTime(), verb, () -> send(call, lease, renewing::read));
    }

    private interface RenewingOne {
        Optional<Renewal> renew(Lane lane, LeaseRef lease, Object row) throws SQLException;
    }

    /** If another call about the lease is under way, the row is only read. */
    private Optional<Renewal> renewAtOnce(Database call, LeaseRef lease) {
        return renewInTurn(call, lease, System.nanoTime(), renewing::renew, () -> send(call, lease, renewing::read));
    }

    /** If another call about the lease is under way until the end, the first answer stands. */
    private Optional<Renewal> renewPatiently(Database call, Renewal first, long end) {
        return System.nanoTime() - end > 0
                ? Optional.of(first)
                : renewInTurn(call, first.lease(), end, renewing::renewPatiently, () -> Optional.of(first));
    }

    private Optional<Renewal> renewInTurn(
            Database call, LeaseRef lease, long end, RenewingOne verb, Supplier<Optional<Renewal>> otherwise) {
        if (!table.isMarkedByTime()) {
            return send(call, lease, verb);
        }
        ReentrantLock turn = memory.turn(lease.nonce());
        if (!isBegun(turn, end)) {
            return otherwise.get();
        }
        try {
            return send(call, lease, verb);
        } finally {
            turn.unlock();
        }
    }

    private Optional<Renewal> send(Database call, LeaseRef lease, RenewingOne verb) {
        return table.row(lease.key()).flatMap(row -> call.runWithoutQueue(lane -> verb.renew(lane, lease, row)));
    }

    /**
     * Ends the lease.
     *
     * @throws StoreUnsupportedException if the answer is to be forgotten: the row is the user's, and the mapping
     *     does not say what an unfinished one looks like
     */
    @Override
    public ReleaseResult release(ReleaseRequest request) {
        if (request.ending() == Ending.FORGET) {
            throw new StoreUnsupportedException("A row of " + table.mapping.tableName()
                    + " cannot be forgotten, because it is the answer. So that its work is done anew, set its "
                    + table.mapping.columns().getOrDefault(Role.DONE, "status")
                    + " to what an unfinished row has there: key " + request.key() + ".");
        }
        if (!request.cooldown().isZero()) {
            throw cannot("keep a cooldown", OWN_TABLES, request.key());
        }
        return end(request) ? ReleaseResult.RELEASED : ReleaseResult.NOT_HELD;
    }

    /**
     * Ends the lease. With fields, one statement writes them, marks the row as done or failed and clears the lock. Without
     * fields, it clears the lock and the attempts and changes nothing else.
     *
     * @throws StoreException if the row has no place for the settlement: bytes, a checkpoint, a hold, or a mark that the
     *     mapping does not have
     */
    @Override
    public SettleResult settle(SettleRequest request) {
        LeaseRef lease = request.lease();
        Settlement settlement = request.settlement();
        if (settlement.payload() != null || settlement.state() == State.HOLD || settlement.isCheckpoint()) {
            throw cannot("keep an answer of bytes, a checkpoint or a hold", OWN_TABLES, lease.key());
        }
        if (settlement.fields() == null) {
            return end(ReleaseRequest.of(lease)) ? SettleResult.SETTLED : SettleResult.SUPERSEDED;
        }
        if (!table.canRun()) {
            throw cannot("be marked as done", "Add doneWhen or doneWhenNotNull to the mapping.", lease.key());
        }
        if (settlement.state() == State.FAILED && !table.has(Role.FAILED)) {
            throw cannot("be marked as failed", "Add failedWhen to the mapping.", lease.key());
        }
        Database call = database.forOneCall();
        return inTurn(call, lease.nonce(), () -> settleNow(call, lease, settlement));
    }

    private SettleResult settleNow(Database call, LeaseRef lease, Settlement settlement) {
        Optional<Object> row = table.row(lease.key());
        Optional<Mark> mark = memory.mark(lease.nonce(), lease.fence(), table);
        if (row.isEmpty() || mark.isEmpty()) {
            return SettleResult.SUPERSEDED;
        }
        SettleResult result = readingColumns(
                call,
                columns -> call.run(lane -> columns.settling.settle(lane, lease, row.get(), mark.get(), settlement)));
        if (result.isSettled()) {
            memory.end(lease.key(), lease.nonce(), lease.fence());
        } else {
            memory.forget(lease.nonce());
        }
        return result;
    }

    private StoreException cannot(String what, String advice, Key key) {
        return new StoreException(
                "A row of " + table.mapping.tableName() + " cannot " + what + ": key " + key + ". " + advice);
    }

    private boolean end(ReleaseRequest request) {
        Database call = database.forOneCall();
        return inTurn(call, request.nonce(), () -> endNow(call, request));
    }

    private <T> T inTurn(Database call, Nonce nonce, Supplier<T> verb) {
        if (!table.isMarkedByTime()) {
            return verb.get();
        }
        ReentrantLock turn = beginTurn(call, nonce);
        try {
            return verb.get();
        } finally {
            turn.unlock();
        }
    }

    /** Waits for another call for as long as this one may take. */
    private ReentrantLock beginTurn(Database call, Nonce nonce) {
        ReentrantLock turn = memory.turn(nonce);
        if (!isBegun(turn, call.end())) {
            throw new StoreUnavailableException("Another call about this lease on a row of " + table.mapping.tableName()
                    + " took longer than "
                    + call.longestCall().toMillis() + " ms.");
        }
        return turn;
    }

    /** False if the turn did not come until the end. */
    private static boolean isBegun(ReentrantLock turn, long end) {
        // Calls are short; a caller that waits for a lease is woken otherwise.
        return Uninterrupted.await(() -> turn.tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS));
    }

    private boolean endNow(Database call, ReleaseRequest request) {
        Nonce nonce = request.nonce();
        Fence fence = request.fence();
        boolean wasEnded = memory.isEnded(request.key(), nonce, fence);
        Optional<Object> row = table.row(request.key());
        Optional<Mark> mark = memory.mark(nonce, fence, table);
        if (row.isEmpty() || mark.isEmpty()) {
            return wasEnded;
        }
        RowReleasing.Ending ending = new RowReleasing.Ending(request, row.get(), mark.get());
        boolean isEnded;
        try {
            // The mark of a lease of this object's own was compared with the fence.
            if (releasing.canGoTogether(ending) && memory.find(nonce).isPresent()) {
                isEnded = call.run(releasing, ending);
            } else {
                isEnded = call.run(lane -> releasing.alone(lane, ending));
            }
        } catch (StoreException e) {
            if (ending.isSent() && table.isMarkedByTime() && table.time.tickMicros() > 1) {
                // The row may be free by now, and be taken again by somebody who writes the same moment.
                memory.forget(nonce);
            }
            throw e;
        }
        if (isEnded) {
            memory.end(request.key(), nonce, fence == null ? mark.get().fence() : fence);
            keys.sawFree(request.key(), mark.get().fence());
        } else {
            memory.forget(nonce);
            keys.forget(request.key());
        }
        return isEnded || wasEnded;
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
        ReentrantLock turn = beginTurn(database, lease.nonce());
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
        Database call = database.forOneCall();
        return table.row(key)
                .flatMap(row -> readingColumns(
                        call,
                        columns -> call.run(
                                lane -> RowAcquiring.record(lane, columns.statements, columns.table, row, key))))
                .map(sight -> sight.snapshot(table, key));
    }

    /** Reads the whole table if there is nothing better to go by: for people, not for programs. */
    @Override
    public Page list(ListRequest request) {
        return readingColumns(
                database,
                columns -> database.runAside(
                        lane -> new RowListing(columns.table, columns.statements).list(lane, request)));
    }

    @Override
    public Optional<RecordTraits> recordTraits() {
        return Optional.of(table.traits());
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
        return table.dialect == Dialect.H2 ? Micros.FOREVER : database.longestCall();
    }

    /** Closes the store's connections. Leases live on. */
    @Override
    public void close() {
        database.close();
    }
}
