package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import dev.leasehold.jdbc.RowMemory.Mark;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Predecessor;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Leases on rows that were taken.
 *
 * <p>Where the row keeps no fence, the fence is the database's clock, read while the row is the caller's: after the row
 * was taken, and before anybody else can have it. So later leases have larger ones.
 */
final class RowGrants {
    private static final long TICK_PAUSE_NANOS = 100_000;

    private final RowTable table;
    private final RowStatements statements;
    private final RowMemory memory;

    RowGrants(RowTable table, RowStatements statements, RowMemory memory) {
        this.table = table;
        this.statements = statements;
        this.memory = memory;
    }

    /** Whether the row was left by an earlier try of this call. */
    boolean isMine(RowSight sight, AcquireRequest request) {
        return request.nonce().toString().equals(sight.nonce()) && sight.isHeld(table);
    }

    static long stampOf(RowSight sight) {
        Long stamp = sight.stamp();
        return stamp == null ? -1 : stamp;
    }

    /** What the row will be once it is taken, by the clock that was read before. */
    RowSight taken(RowSight before, AcquireRequest request, @Nullable Long fence) {
        long stamp = table.stamp(before.clock(), Micros.of(request.ttl()));
        return new RowSight(
                before.now(),
                before.clock(),
                before.keyText(),
                false,
                stamp,
                table.has(Role.OWNER) ? table.ownerText(request.owner()) : null,
                fence,
                table.has(Role.NONCE) ? request.nonce().toString() : null,
                isMine(before, request) ? before.content() : before.content().withOneMoreAttempt());
    }

    /** The row and the clock at a moment at which it is still as we took it; empty if it no longer is. */
    Optional<RowSight> whileOurs(Lane lane, AcquireRequest request, Object row, RowSight taken) throws SQLException {
        Optional<RowSight> first = lookAtOurs(lane, request, row, taken);
        Optional<RowSight> held = first;
        // SQLite's clock counts milliseconds: in the next one, no lease that ended before has the same fence.
        while (table.dialect == Dialect.SQLITE
                && held.isPresent()
                && held.get().now() == first.orElseThrow().now()) {
            LockSupport.parkNanos(TICK_PAUSE_NANOS);
            held = lookAtOurs(lane, request, row, taken);
        }
        return held;
    }

    private Optional<RowSight> lookAtOurs(Lane lane, AcquireRequest request, Object row, RowSight taken)
            throws SQLException {
        return RowAcquiring.look(lane, statements, table, row, request.key())
                .filter(sight -> Objects.equals(sight.stamp(), taken.stamp())
                        && Objects.equals(sight.owner(), taken.owner())
                        && Objects.equals(sight.nonce(), taken.nonce())
                        && sight.remaining(table) > 0);
    }

    /** The lease on a row, as it was before and as it is now. */
    AcquireResult granted(AcquireRequest request, Optional<RowSight> before, RowSight after) {
        boolean isMine = before.filter(sight -> isMine(sight, request)).isPresent();
        Optional<Mark> known = isMine ? memory.find(request.nonce()) : Optional.empty();
        Long kept = after.fence();
        Fence fence =
                kept != null ? Fence.of(kept) : known.map(Mark::fence).orElseGet(() -> memory.nextFence(after.now()));
        memory.keep(request.nonce(), new Mark(fence, after.owner(), Micros.of(request.ttl()), List.of(stampOf(after))));
        Predecessor predecessor = before.filter(sight -> !isMine && sight.isHeld(table) && sight.remaining(table) <= 0)
                .map(sight -> new Predecessor(sight.label(), sight.seenFence(table)))
                .orElse(isMine ? memory.predecessor(request.nonce()) : null);
        if (predecessor != null) {
            memory.tookOver(request.nonce(), predecessor);
        }
        Duration remaining = Micros.toDuration(Math.max(0, after.remaining(table)));
        return new AcquireResult.Granted(
                fence,
                remaining,
                attempt(after),
                predecessor,
                null,
                after.content().fields());
    }

    private int attempt(RowSight row) {
        return table.has(Role.ATTEMPTS) ? Math.max(1, row.content().attempts()) : 1;
    }

    /**
     * The grant with the row as it is now that it is the caller's. The lease is known by then: if the row cannot be read, the
     * call can be asked again.
     */
    AcquireResult withRecord(Lane lane, AcquireRequest request, Object row, AcquireResult result) throws SQLException {
        if (!table.canRun() || !(result instanceof AcquireResult.Granted granted) || granted.fields() != null) {
            return result;
        }
        return RowAcquiring.record(lane, statements, table, row, request.key())
                .<AcquireResult>map(read -> new AcquireResult.Granted(
                        granted.fence(),
                        granted.remaining(),
                        attempt(read),
                        granted.predecessor(),
                        null,
                        read.content().fields()))
                .orElseGet(AcquireResult.Missing::new);
    }
}
