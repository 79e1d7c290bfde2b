package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import dev.leasehold.jdbc.RowMemory.Mark;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * The verb acquire on the user's own rows. PostgreSQL grants, or shows what is in the way, in one statement. The others
 * are looked at first, and then changed by one statement that decides anew; a refusal leaves its row as it is.
 *
 * <p>A grant comes only from what a statement wrote, a refusal only from what one read. A row that could be granted, but
 * was not, was lost to a rival or is locked by a transaction of the user's: it is asked for again for a moment, and then
 * said to be held.
 */
final class RowAcquiring {
    /** A row is asked for again for so long, and on a slow machine at least so often, unless that takes too long. */
    private static final long PATIENCE_NANOS = 40_000_000;

    private static final int FEWEST_ROUNDS = 3;
    private static final long MOST_NANOS = 2_000_000_000;
    private static final long PAUSE_NANOS = 2_000_000;

    /** One call drops the expired rows of others for at most a quarter of its time. */
    private static final int SHARE_FOR_CLEARING = 4;

    /** The number of expired rows to read beyond those that were left before. */
    private static final int CLEARED_AT_ONCE = 20;

    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.jdbc");

    /** It looks free, but is locked: by whom, and for how long, nobody can tell. */
    private static final AcquireResult LOCKED = AcquireResult.Held.locked(Fence.of(1));

    private final RowTable table;
    private final RowStatements statements;
    private final RowMemory memory;
    private final RowGrants grants;
    private final long clearingNanos;

    /** @param callLimit how long the statements of a call may take, all together */
    RowAcquiring(RowTable table, RowStatements statements, RowMemory memory, Duration callLimit) {
        this.table = table;
        this.statements = statements;
        this.memory = memory;
        this.grants = new RowGrants(table, statements, memory);
        this.clearingNanos = callLimit.dividedBy(SHARE_FOR_CLEARING).toNanos();
    }

    /** A row as one step of a statement saw it; see {@link RowStatements#acquire}. */
    private record Seen(int step, RowSight sight) {}

    AcquireResult acquire(Lane lane, AcquireRequest request, Object row) throws SQLException {
        Optional<AcquireResult> again = askedAgain(lane, request, row);
        return grants.withRecord(lane, request, row, again.isPresent() ? again.get() : ask(lane, request, row));
    }

    private AcquireResult ask(Lane lane, AcquireRequest request, Object row) throws SQLException {
        if (table.mapping.makesRows()) {
            clearOthers(lane, row);
        }
        boolean isOneStatement =
                table.dialect == Dialect.POSTGRESQL && !table.mapping.makesRows() && request.unmoved() == null;
        Parameters parameters = parameters(lane, request, row);
        long start = System.nanoTime();
        for (int round = 1; ; round++) {
            Optional<AcquireResult> answer = isOneStatement
                    ? inOneStatement(lane, request, row, parameters)
                    : lookFirst(lane, request, row, parameters);
            if (answer.isPresent()) {
                return answer.get();
            }
            long spent = System.nanoTime() - start;
            if (spent > MOST_NANOS || (spent > PATIENCE_NANOS && round >= FEWEST_ROUNDS)) {
                return lockedOrLost(lane, request, row);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** What is in the way of a row that could be granted, but was not. */
    private AcquireResult lockedOrLost(Lane lane, AcquireRequest request, Object row) throws SQLException {
        Optional<RowSight> seen = look(lane, statements, table, row, request.key());
        return seen.isPresent() ? refusal(lane, request, row, seen.get()).orElse(LOCKED) : LOCKED;
    }

    /** A call that this store has granted before; a row without a nonce could not tell. */
    private Optional<AcquireResult> askedAgain(Lane lane, AcquireRequest request, Object row) throws SQLException {
        Optional<Mark> mark = memory.find(request.nonce());
        if (mark.isEmpty() || table.has(Role.NONCE)) {
            return Optional.empty();
        }
        LeaseRef lease = new LeaseRef(request.key(), request.nonce(), mark.get().fence());
        Optional<Renewal> renewal = new RowRenewing(table, statements, memory).renew(lane, lease, row);
        return renewal.map(renewed -> renewed.remaining().isZero()
                ? LOCKED
                : new AcquireResult.Granted(
                        mark.get().fence(), renewed.remaining(), 1, memory.predecessor(request.nonce()), null));
    }

    private Optional<AcquireResult> inOneStatement(Lane lane, AcquireRequest request, Object row, Parameters parameters)
            throws SQLException {
        List<Seen> seen = lane.query(
                statements.acquire,
                parameters,
                result -> new Seen(result.getInt("step"), seen(result, result.getInt("step") == 1)));
        Optional<RowSight> first = only(
                seen.stream().filter(one -> one.step() == 0).map(Seen::sight).toList(), request.key());
        Optional<RowSight> granted = step(seen, 1);
        if (granted.isPresent()) {
            return Optional.of(grants.granted(request, step(seen, 2), granted.get()));
        }
        return first.isPresent() ? refusal(lane, request, row, first.get()) : Optional.of(new AcquireResult.Missing());
    }

    /** The fields of a run are read only if the caller gets them: the row is granted, or is finished. */
    private RowSight seen(ResultSet row, boolean isGranted) throws SQLException {
        RowSight lease = RowSight.read(row, table);
        return isGranted || lease.isFinished() ? RowSight.readRecord(row, table) : lease;
    }

    private static Optional<RowSight> step(List<Seen> seen, int step) {
        return seen.stream().filter(one -> one.step() == step).map(Seen::sight).findFirst();
    }

    private Optional<AcquireResult> lookFirst(Lane lane, AcquireRequest request, Object row, Parameters parameters)
            throws SQLException {
        Optional<RowSight> before = look(lane, statements, table, row, request.key());
        Optional<AcquireResult> refusal =
                before.isPresent() ? refusal(lane, request, row, before.get()) : Optional.empty();
        if (refusal.isPresent()) {
            return refusal;
        }
        if (table.mapping.makesRows()) {
            return makeRow(lane, request, row, before, parameters);
        }
        return before.isPresent()
                ? take(lane, request, row, before.get(), parameters)
                : Optional.of(new AcquireResult.Missing());
    }

    private Optional<AcquireResult> take(
            Lane lane, AcquireRequest request, Object row, RowSight sight, Parameters parameters) throws SQLException {
        boolean isMine = grants.isMine(sight, request);
        boolean isLive = sight.isHeld(table) && sight.remaining(table) + Micros.of(request.lockDelay()) > 0;
        long fence = sight.fence() == null ? 0 : sight.fence();
        Long stamp = sight.stamp();
        RowSight after = grants.taken(
                sight, request, table.has(Role.FENCE) ? (isMine ? fence : Math.max(fence + 1, sight.now())) : null);
        parameters
                .number("stamp", RowGrants.stampOf(after))
                .number("seen", stamp == null ? -1 : stamp)
                .number("seenFence", fence)
                .text("seenNonce", sight.nonce() == null ? "" : sight.nonce())
                .number("newFence", after.fence() == null ? 0 : after.fence())
                .flag("overruled", isMine || isLive)
                .flag("counted", !isMine);
        if (RowLocks.updateUnlocked(lane, statements.take, parameters) == 0) {
            return Optional.empty();
        }
        Optional<RowSight> held =
                table.has(Role.FENCE) ? Optional.of(after) : grants.whileOurs(lane, request, row, after);
        return held.map(one -> grants.granted(request, Optional.of(sight), one));
    }

    /** As scripts do that know nothing of us: a row that has expired is deleted, and then a new one is made. */
    private Optional<AcquireResult> makeRow(
            Lane lane, AcquireRequest request, Object row, Optional<RowSight> before, Parameters parameters)
            throws SQLException {
        if (before.isPresent() && RowLocks.updateUnlocked(lane, statements.clear, parameters) == 0) {
            return Optional.empty();
        }
        RowSight clock =
                lane.query(statements.clock, parameters, RowSight::clock).get(0);
        RowSight after = grants.taken(clock, request, null);
        parameters.number("stamp", RowGrants.stampOf(after));
        return RowLocks.updateUnlocked(lane, statements.insert, parameters) == 0
                ? Optional.empty()
                : grants.whileOurs(lane, request, row, after)
                        .map(held -> grants.granted(request, Optional.empty(), held));
    }

    /**
     * Drops the other rows that have expired, as scripts do. One that is locked stays for the next caller, and so do
     * those that are left when the time for this is over, or when the database refuses.
     */
    private void clearOthers(Lane lane, Object row) {
        long end = System.nanoTime() + clearingNanos;
        try {
            Set<String> left = new HashSet<>();
            while (clearSome(lane, row, left, end)) {}
        } catch (SQLException e) {
            LOGGER.log(System.Logger.Level.DEBUG, "The rows that have expired could not be dropped", e);
        }
    }

    /**
     * Drops a few rows, and adds those to {@code left} that are still there. So many more are read the next time, so that
     * there are always others among them.
     *
     * @return whether there is time, and there may be rows, for more
     */
    private boolean clearSome(Lane lane, Object row, Set<String> left, long end) throws SQLException {
        Parameters parameters = table.parameters(lane, row).number("limit", left.size() + CLEARED_AT_ONCE);
        boolean hasFound = false;
        for (String key : lane.query(statements.expired, parameters, result -> result.getString("k"))) {
            if (left.contains(key)) {
                continue;
            }
            if (System.nanoTime() - end > 0) {
                return false;
            }
            hasFound = true;
            Optional<Object> other = table.key.parameter(key);
            if (other.isEmpty()
                    || RowLocks.updateUnlocked(lane, statements.clear, table.parameters(lane, other.get())) == 0) {
                left.add(key);
            }
        }
        return hasFound;
    }

    /** What the rules say of the row as it was seen. */
    AcquireResult judge(RowSight sight, AcquireRequest request) {
        LeaseSnapshot snapshot = sight.snapshot(table, request.key());
        // Nobody can stand in line for a row.
        AcquireRequest alone = request.inLineFor(Duration.ZERO);
        AcquireResult result = LeaseRules.acquire(snapshot.record(), alone, snapshot.nowMicros())
                .result();
        if (!(result instanceof AcquireResult.Settled settled) || snapshot.fields() == null) {
            return result;
        }
        Settlement answer = new Settlement(settled.settlement().state(), null, Micros.FOREVER, snapshot.fields());
        return new AcquireResult.Settled(answer, settled.fence(), settled.attempts(), settled.remaining());
    }

    /**
     * The refusal if the row stays as it was seen; empty if it would be granted, so that it must be asked for again.
     * What a run reads is read only if the row is finished, because only then is it the answer.
     */
    private Optional<AcquireResult> refusal(Lane lane, AcquireRequest request, Object row, RowSight sight)
            throws SQLException {
        AcquireResult result = judge(sight, request);
        if (result instanceof AcquireResult.Settled
                && table.canRun()
                && sight.content().fields() == null) {
            result = record(lane, statements, table, row, request.key())
                    .map(read -> judge(read, request))
                    .orElseGet(AcquireResult.Missing::new);
        }
        return result instanceof AcquireResult.Granted ? Optional.empty() : Optional.of(result);
    }

    /** The lease on the row with this key, to the letter. */
    static Optional<RowSight> look(Lane lane, RowStatements statements, RowTable table, Object row, Key key)
            throws SQLException {
        return exactly(
                table,
                key,
                lane.query(statements.look, table.parameters(lane, row), result -> RowSight.read(result, table)));
    }

    /** The same with what a run reads. */
    static Optional<RowSight> record(Lane lane, RowStatements statements, RowTable table, Object row, Key key)
            throws SQLException {
        return exactly(
                table,
                key,
                lane.query(
                        statements.record, table.parameters(lane, row), result -> RowSight.readRecord(result, table)));
    }

    private static Optional<RowSight> exactly(RowTable table, Key key, List<RowSight> rows) {
        Optional<RowSight> found = only(rows, key);
        boolean isOther = found.filter(sight -> !(table.mapping.keyPrefix() + sight.keyText()).equals(key.value()))
                .isPresent();
        if (isOther && table.mapping.makesRows()) {
            throw new StoreException("The column " + table.key.column() + " of " + table.mapping.tableName()
                    + " takes the keys " + key + " and " + found.get().keyText()
                    + " for the same. Use another key, or give the column a binary collation.");
        }
        return isOther ? Optional.empty() : found;
    }

    private static Optional<RowSight> only(List<RowSight> rows, Key key) {
        if (rows.size() > 1) {
            throw new StoreException("More than one row has the key " + key + ", so it cannot be leased.");
        }
        return rows.stream().findFirst();
    }

    private Parameters parameters(Lane lane, AcquireRequest request, Object row) {
        return table.parameters(lane, row)
                .text("nonce", request.nonce())
                .text("owner", table.ownerText(request.owner()))
                .time("ttl", request.ttl())
                .time("lockDelay", request.lockDelay());
    }
}
