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
import dev.leasehold.store.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * The verb acquire on the user's own rows. PostgreSQL grants, or shows what is in the way, in one statement. The others
 * are looked at first, and then changed by one statement that decides anew; a refusal writes nothing anywhere.
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

    /** It looks free, but is locked: by whom, and for how long, nobody can tell. */
    private static final AcquireResult LOCKED = AcquireResult.Held.locked(Fence.of(1));

    private final RowTable table;
    private final RowStatements statements;
    private final RowMemory memory;
    private final RowGrants grants;

    RowAcquiring(RowTable table, RowStatements statements, RowMemory memory) {
        this.table = table;
        this.statements = statements;
        this.memory = memory;
        this.grants = new RowGrants(table, statements, memory);
    }

    /** A row as one step of a statement saw it; see {@link RowStatements#acquire}. */
    private record Seen(int step, RowSight sight) {}

    AcquireResult acquire(Lane lane, AcquireRequest request, Object row) throws SQLException {
        Optional<AcquireResult> again = askedAgain(lane, request, row);
        if (again.isPresent()) {
            return again.get();
        }
        if (table.mapping.makesRows()) {
            clearOthers(lane, row);
        }
        boolean isOneStatement =
                table.dialect == Dialect.POSTGRESQL && !table.mapping.makesRows() && request.unmoved() == null;
        Parameters parameters = parameters(lane, request, row);
        long start = System.nanoTime();
        for (int round = 1; ; round++) {
            Optional<AcquireResult> answer = isOneStatement
                    ? inOneStatement(lane, request, parameters)
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
        return look(lane, statements, table, row, request.key())
                .flatMap(sight -> refusal(judge(sight, request)))
                .orElse(LOCKED);
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
                : new AcquireResult.Granted(mark.get().fence(), renewed.remaining(), 1, null, null));
    }

    private Optional<AcquireResult> inOneStatement(Lane lane, AcquireRequest request, Parameters parameters)
            throws SQLException {
        List<Seen> seen = lane.query(
                statements.acquire,
                parameters,
                result -> new Seen(result.getInt("step"), RowSight.read(result, table)));
        Optional<RowSight> first = only(
                seen.stream().filter(one -> one.step() == 0).map(Seen::sight).toList(), request.key());
        Optional<RowSight> granted = step(seen, 1);
        if (granted.isPresent()) {
            return Optional.of(grants.granted(request, step(seen, 2), granted.get()));
        }
        return first.isPresent() ? refusal(judge(first.get(), request)) : Optional.of(new AcquireResult.Missing());
    }

    private static Optional<RowSight> step(List<Seen> seen, int step) {
        return seen.stream().filter(one -> one.step() == step).map(Seen::sight).findFirst();
    }

    private Optional<AcquireResult> lookFirst(Lane lane, AcquireRequest request, Object row, Parameters parameters)
            throws SQLException {
        Optional<RowSight> before = look(lane, statements, table, row, request.key());
        Optional<AcquireResult> refusal = before.flatMap(sight -> refusal(judge(sight, request)));
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
                .flag("overruled", isMine || isLive);
        if (RowLocks.updateUnlocked(lane, statements.take, parameters) == 0) {
            return Optional.empty();
        }
        return (table.has(Role.FENCE) ? Optional.of(after) : grants.whileOurs(lane, request, row, after))
                .map(held -> grants.granted(request, Optional.of(sight), held));
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

    /** Drops a few other rows that have expired, as scripts do. One that is locked stays for the next caller. */
    private void clearOthers(Lane lane, Object row) throws SQLException {
        List<String> expired =
                lane.query(statements.expired, table.parameters(lane, row), result -> result.getString("k"));
        for (String key : expired) {
            Optional<Object> other = table.key.parameter(key);
            if (other.isPresent()) {
                RowLocks.updateUnlocked(lane, statements.clear, table.parameters(lane, other.get()));
            }
        }
    }

    /** What the rules say of the row as it was seen. */
    private AcquireResult judge(RowSight sight, AcquireRequest request) {
        LeaseSnapshot snapshot = sight.snapshot(table, request.key());
        // Nobody can stand in line for a row.
        AcquireRequest alone = request.inLineFor(Duration.ZERO);
        return LeaseRules.acquire(snapshot.record(), alone, snapshot.nowMicros())
                .result();
    }

    /** Empty if the row would be granted, so that it must be asked for again. */
    private static Optional<AcquireResult> refusal(AcquireResult result) {
        return result instanceof AcquireResult.Granted ? Optional.empty() : Optional.of(result);
    }

    /** The row with this key, to the letter. */
    static Optional<RowSight> look(Lane lane, RowStatements statements, RowTable table, Object row, Key key)
            throws SQLException {
        List<RowSight> rows =
                lane.query(statements.look, table.parameters(lane, row), result -> RowSight.read(result, table));
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
