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
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The verb acquire on the user's own rows. PostgreSQL grants, or shows what is in the way, in one statement. The others
 * are looked at first, and then changed by one statement that decides anew; a refusal writes nothing anywhere.
 */
final class RowAcquiring {
    private static final int MOST_ROUNDS = 100;

    private final RowTable table;
    private final RowStatements statements;
    private final RowMemory memory;

    RowAcquiring(RowTable table, RowStatements statements, RowMemory memory) {
        this.table = table;
        this.statements = statements;
        this.memory = memory;
    }

    /** A row that was granted, or not, as the statement left it. */
    private record Seen(boolean isGranted, RowSight sight) {}

    AcquireResult acquire(Lane lane, AcquireRequest request, Object row) throws SQLException {
        Optional<AcquireResult> again = askedAgain(lane, request, row);
        if (again.isPresent()) {
            return again.get();
        }
        boolean isOneStatement =
                table.dialect == Dialect.POSTGRESQL && !table.mapping.makesRows() && request.unmoved() == null;
        Parameters parameters = parameters(lane, request, row);
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Optional<AcquireResult> answer = isOneStatement
                    ? inOneStatement(lane, request, parameters)
                    : lookFirst(lane, request, row, parameters);
            if (answer.isPresent()) {
                return answer.get();
            }
        }
        throw new StoreUnavailableException("The row changed hands all the time: key " + request.key() + ".");
    }

    /** A call that this store has granted before; a row without a nonce could not tell. */
    private Optional<AcquireResult> askedAgain(Lane lane, AcquireRequest request, Object row) throws SQLException {
        Optional<Mark> mark = memory.find(request.nonce());
        if (mark.isEmpty() || table.has(Role.NONCE)) {
            return Optional.empty();
        }
        LeaseRef lease = new LeaseRef(request.key(), request.nonce(), mark.get().fence());
        Optional<Renewal> renewal = new RowRenewing(table, statements, memory).renew(lane, lease, row);
        return renewal.map(
                renewed -> new AcquireResult.Granted(mark.get().fence(), renewed.remaining(), 1, null, null));
    }

    private Optional<AcquireResult> inOneStatement(Lane lane, AcquireRequest request, Parameters parameters)
            throws SQLException {
        List<Seen> seen = lane.query(
                statements.acquire,
                parameters,
                result -> new Seen(result.getInt("granted") == 1, RowSight.read(result, table)));
        Optional<RowSight> before = only(
                seen.stream().filter(one -> !one.isGranted()).map(Seen::sight).toList(), request.key());
        if (before.isEmpty()) {
            return Optional.of(new AcquireResult.Missing());
        }
        Optional<RowSight> granted =
                seen.stream().filter(Seen::isGranted).map(Seen::sight).findFirst();
        return granted.isPresent()
                ? Optional.of(granted(request, before, granted.get()))
                : refusal(judge(before.get(), request));
    }

    private Optional<AcquireResult> lookFirst(Lane lane, AcquireRequest request, Object row, Parameters parameters)
            throws SQLException {
        Optional<RowSight> before = look(lane, statements, table, row, request.key());
        Optional<AcquireResult> refusal = before.flatMap(sight -> refusal(judge(sight, request)));
        if (refusal.isPresent()) {
            return refusal;
        }
        if (table.mapping.makesRows()) {
            return makeRow(lane, request, parameters);
        }
        return before.isPresent()
                ? take(lane, request, before.get(), parameters)
                : Optional.of(new AcquireResult.Missing());
    }

    private Optional<AcquireResult> take(Lane lane, AcquireRequest request, RowSight sight, Parameters parameters)
            throws SQLException {
        boolean isMine = request.nonce().toString().equals(sight.nonce()) && sight.isHeld(table);
        boolean isLive = sight.isHeld(table) && sight.remaining(table) + Micros.of(request.lockDelay()) > 0;
        long fence = sight.fence() == null ? 0 : sight.fence();
        Long stamp = sight.stamp();
        RowSight after = taken(
                sight, request, table.has(Role.FENCE) ? (isMine ? fence : Math.max(fence + 1, sight.now())) : null);
        parameters
                .number("stamp", stampOf(after))
                .number("seen", stamp == null ? -1 : stamp)
                .number("seenFence", fence)
                .number("newFence", after.fence() == null ? 0 : after.fence())
                .flag("overruled", isMine || isLive);
        return lane.update(statements.take, parameters) > 0
                ? Optional.of(granted(request, Optional.of(sight), after))
                : Optional.empty();
    }

    /** As scripts do that know nothing of us: what has expired goes first, then the row is made. */
    private Optional<AcquireResult> makeRow(Lane lane, AcquireRequest request, Parameters parameters)
            throws SQLException {
        lane.update(statements.clear, parameters);
        RowSight clock =
                lane.query(statements.clock, parameters, RowSight::clock).get(0);
        RowSight after = taken(clock, request, null);
        lane.update(statements.insert, parameters.number("stamp", stampOf(after)));
        return Optional.of(granted(request, Optional.empty(), after));
    }

    private static long stampOf(RowSight sight) {
        Long stamp = sight.stamp();
        return stamp == null ? -1 : stamp;
    }

    /** What the row will be once it is taken, by the clock that was read before. */
    private RowSight taken(RowSight before, AcquireRequest request, @Nullable Long fence) {
        long stamp = table.stamp(before.clock(), Micros.of(request.ttl()));
        return new RowSight(
                before.now(),
                before.clock(),
                before.keyText(),
                false,
                stamp,
                table.has(Role.OWNER) ? table.ownerText(request.owner()) : null,
                fence,
                table.has(Role.NONCE) ? request.nonce().toString() : null);
    }

    private AcquireResult granted(AcquireRequest request, Optional<RowSight> before, RowSight after) {
        Optional<Mark> known = memory.find(request.nonce());
        Long kept = after.fence();
        Fence fence =
                kept != null ? Fence.of(kept) : known.map(Mark::fence).orElseGet(() -> memory.nextFence(after.now()));
        memory.keep(request.nonce(), new Mark(fence, after.owner(), Micros.of(request.ttl()), List.of(stampOf(after))));
        Predecessor predecessor = before.filter(
                        sight -> known.isEmpty() && sight.isHeld(table) && sight.remaining(table) <= 0)
                .map(sight -> new Predecessor(sight.label(), sight.seenFence(table)))
                .orElse(null);
        Duration remaining = Micros.toDuration(Math.max(0, after.remaining(table)));
        return new AcquireResult.Granted(fence, remaining, 1, predecessor, null);
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
