package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import dev.leasehold.jdbc.RowMemory.Mark;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Renewal;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;

/**
 * The verb renew on the user's own rows.
 *
 * <p>The new moment is chosen before it is written, from the row's clock: so a reply may be lost, and the row is known
 * all the same by the moment that it then has. A row that a transaction of the user's has locked is still its holder's,
 * with the life it has.
 */
final class RowRenewing {
    private final RowTable table;
    private final RowStatements statements;
    private final RowMemory memory;

    RowRenewing(RowTable table, RowStatements statements, RowMemory memory) {
        this.table = table;
        this.statements = statements;
        this.memory = memory;
    }

    /** Empty if the lease is no longer its holder's. */
    Optional<Renewal> renew(Lane lane, LeaseRef lease, Object row) throws SQLException {
        Optional<Mark> mark = memory.mark(lease.nonce(), lease.fence(), table);
        if (mark.isEmpty()) {
            return Optional.empty();
        }
        Optional<RowSight> seen = ours(lane, lease, row, mark.get());
        if (seen.isEmpty()) {
            memory.forget(lease.nonce());
            return Optional.empty();
        }
        if (extendUnlocked(lane, lease, row, mark.get(), seen.get())) {
            return extended(lease, mark.get(), seen.get());
        }
        Mark marked = memory.find(lease.nonce()).orElse(mark.get());
        Optional<RowSight> again = ours(lane, lease, row, marked);
        if (again.isPresent() && again.get().remaining(table) <= 0) {
            // Locked, and expired: somebody may be taking it over just now, so it matters how that ends.
            return extend(lane, statements.renew, lease, row, marked, again.get())
                    ? extended(lease, marked, again.get())
                    : Optional.empty();
        }
        again.map(RowSight::stamp).ifPresent(stamp -> memory.confirm(lease.nonce(), stamp));
        return again.map(sight -> new Renewal(lease, Micros.toDuration(sight.remaining(table))));
    }

    private boolean extend(Lane lane, Sql sql, LeaseRef lease, Object row, Mark mark, RowSight seen)
            throws SQLException {
        long stamp = table.stamp(seen.clock(), mark.ttlMicros());
        Parameters parameters = RowLeaseStore.ours(table, lane, row, lease.nonce(), lease.fence(), mark)
                .number("stamp", stamp);
        if (seen.remaining(table) > 0) {
            // Of an expired row this could not be said: whoever takes it over may write the same.
            memory.perhaps(lease.nonce(), stamp);
        }
        boolean isDone = lane.update(sql, parameters) > 0;
        if (isDone) {
            memory.confirm(lease.nonce(), stamp);
        }
        return isDone;
    }

    /** Does not wait for a row that is locked, or not for long. */
    private boolean extendUnlocked(Lane lane, LeaseRef lease, Object row, Mark mark, RowSight seen)
            throws SQLException {
        try {
            return extend(lane, statements.renewUnlocked, lease, row, mark, seen);
        } catch (SQLException e) {
            if (SqlErrors.isConflict(e, table.dialect)) {
                return false;
            }
            throw e;
        }
    }

    private Optional<Renewal> extended(LeaseRef lease, Mark mark, RowSight seen) {
        long stamp = table.stamp(seen.clock(), mark.ttlMicros());
        long life = stamp + table.mapping.fixedTtlMicros().orElse(0L) - seen.clock();
        return Optional.of(new Renewal(lease, Micros.toDuration(Math.max(0, life))));
    }

    /** The row, if it is still that of the lease. */
    private Optional<RowSight> ours(Lane lane, LeaseRef lease, Object row, Mark mark) throws SQLException {
        return RowAcquiring.look(lane, statements, table, row, lease.key())
                .filter(sight -> sight.isHeld(table) && isOurs(sight, lease, mark));
    }

    private boolean isOurs(RowSight sight, LeaseRef lease, Mark mark) {
        boolean isFenced = !table.has(Role.FENCE)
                || Objects.equals(sight.fence(), lease.fence().value());
        if (table.has(Role.NONCE)) {
            Nonce nonce = lease.nonce();
            return isFenced && nonce.toString().equals(sight.nonce());
        }
        if (table.has(Role.FENCE)) {
            return isFenced;
        }
        return sight.stamp() != null
                && mark.stamps().contains(sight.stamp())
                && (mark.owner() == null || mark.owner().equals(sight.owner()));
    }
}
