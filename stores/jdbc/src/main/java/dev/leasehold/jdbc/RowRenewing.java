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
 * <p>On a row without nonce and fence, the new moment is chosen before it is written, from the row's clock: so a reply may
 * be lost, and the row is known all the same by the moment that it then has. Elsewhere the statement itself chooses it. A
 * row that a transaction of the user's has locked is still its holder's, with the life it has.
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

    /**
     * Empty if the lease is no longer its holder's. Does not wait for a row that is locked; if that has expired, no life
     * is left, and {@link #renewPatiently} tells what becomes of it.
     */
    Optional<Renewal> renew(Lane lane, LeaseRef lease, Object row) throws SQLException {
        Optional<Mark> mark = memory.mark(lease.nonce(), lease.fence(), table);
        return renew(lane, lease, row, mark, statements.renewUnlocked);
    }

    /** The same for another TTL, by which the lease is renewed from then on, too. */
    Optional<Renewal> renew(Lane lane, LeaseRef lease, Object row, long ttlMicros) throws SQLException {
        Optional<Renewal> renewal = renew(
                lane,
                lease,
                row,
                memory.mark(lease.nonce(), lease.fence(), table).map(mark -> mark.withTtl(ttlMicros)),
                statements.renewWithTtl);
        if (renewal.filter(Renewal::isExtended).isPresent()) {
            memory.extendedBy(lease.nonce(), ttlMicros);
        }
        return renewal;
    }

    private Optional<Renewal> renew(Lane lane, LeaseRef lease, Object row, Optional<Mark> mark, Sql unlocked)
            throws SQLException {
        if (mark.isEmpty()) {
            return Optional.empty();
        }
        Optional<RowSight> seen = ours(lane, lease, row, mark.get());
        if (seen.isEmpty()) {
            return lost(lease);
        }
        if (extend(lane, lease, row, mark.get(), seen.get(), of -> extendUnlocked(lane, unlocked, of))) {
            return extended(lease, mark.get(), seen.get());
        }
        Optional<RowSight> again =
                ours(lane, lease, row, memory.find(lease.nonce()).orElse(mark.get()));
        return again.isEmpty() ? lost(lease) : Optional.of(passedBy(lease, again.get()));
    }

    /** The row is the lease's still, but was not written. */
    Renewal passedBy(LeaseRef lease, RowSight seen) {
        Long stamp = seen.stamp();
        if (seen.remaining(table) > 0 && stamp != null) {
            memory.seen(lease.nonce(), stamp);
        }
        return notExtended(lease, Optional.of(seen));
    }

    /**
     * The life of a lease whose row another call of this store may be changing: the row is only read. No life is left if
     * the row is not known for the lease's; {@link #renewPatiently} tells once the other call has ended.
     */
    Optional<Renewal> read(Lane lane, LeaseRef lease, Object row) throws SQLException {
        Optional<RowSight> seen = RowAcquiring.look(lane, statements, table, row, lease.key());
        // After the row: a renewal notes the moment before it writes it.
        Optional<Mark> mark = memory.mark(lease.nonce(), lease.fence(), table);
        return mark.map(known -> notExtended(lease, seen.filter(sight -> isHeldBy(sight, lease, known))));
    }

    /**
     * Waits for a row that is locked and has expired: another caller may be taking it over, so it matters how that ends. A
     * row that stays locked is not extended.
     */
    Optional<Renewal> renewPatiently(Lane lane, LeaseRef lease, Object row) throws SQLException {
        Optional<Mark> mark = memory.mark(lease.nonce(), lease.fence(), table);
        if (mark.isEmpty()) {
            return Optional.empty();
        }
        Optional<RowSight> seen = ours(lane, lease, row, mark.get());
        try {
            if (seen.isPresent()
                    && extend(lane, lease, row, mark.get(), seen.get(), of -> lane.update(statements.renew, of))) {
                return extended(lease, mark.get(), seen.get());
            }
            Optional<RowSight> again =
                    ours(lane, lease, row, memory.find(lease.nonce()).orElse(mark.get()));
            return again.isEmpty() ? lost(lease) : Optional.of(notExtended(lease, again));
        } catch (SQLException e) {
            boolean isBusy = table.dialect == Dialect.SQLITE && SqlErrors.isConflict(e, table.dialect);
            if (isBusy || SqlErrors.isLocked(e, table.dialect)) {
                return Optional.of(notExtended(lease, seen));
            }
            throw e;
        }
    }

    private Renewal notExtended(LeaseRef lease, Optional<RowSight> seen) {
        long life = seen.map(sight -> sight.remaining(table)).orElse(0L);
        return Renewal.notExtended(lease, Micros.toDuration(Math.max(0, life)));
    }

    Optional<Renewal> lost(LeaseRef lease) {
        memory.forget(lease.nonce());
        return Optional.empty();
    }

    /** Changes the row, and says how many rows were changed. */
    private interface Extension {
        int write(Parameters parameters) throws SQLException;
    }

    private boolean extend(Lane lane, LeaseRef lease, Object row, Mark mark, RowSight seen, Extension extension)
            throws SQLException {
        long stamp = table.stamp(seen.clock(), mark.ttlMicros());
        Parameters parameters = RowLeaseStore.ours(table, lane, row, lease.nonce(), lease.fence(), mark)
                .number("stamp", stamp)
                .number("seen", Objects.requireNonNull(seen.stamp()))
                .number("ttl", mark.ttlMicros());
        if (seen.remaining(table) > 0) {
            // Of an expired row this could not be said: whoever takes it over may write the same.
            memory.perhaps(lease.nonce(), stamp);
        }
        boolean isDone = extension.write(parameters) > 0;
        if (isDone) {
            memory.confirm(lease.nonce(), stamp);
        }
        return isDone;
    }

    /** A SQLite file that others keep busy is like a row that is locked: the lease has the life that it has. */
    private int extendUnlocked(Lane lane, Sql statement, Parameters parameters) throws SQLException {
        try {
            return lane.update(statement, parameters);
        } catch (SQLException e) {
            if (SqlErrors.isConflict(e, table.dialect)) {
                return 0;
            }
            throw e;
        }
    }

    Optional<Renewal> extended(LeaseRef lease, Mark mark, RowSight seen) {
        long stamp = table.stamp(seen.clock(), mark.ttlMicros());
        long life = stamp + table.mapping.fixedTtlMicros().orElse(0L) - seen.clock();
        return Optional.of(new Renewal(lease, Micros.toDuration(Math.max(0, life))));
    }

    /** The row, if it is still that of the lease. */
    private Optional<RowSight> ours(Lane lane, LeaseRef lease, Object row, Mark mark) throws SQLException {
        return RowAcquiring.look(lane, statements, table, row, lease.key())
                .filter(sight -> isHeldBy(sight, lease, mark));
    }

    boolean isHeldBy(RowSight sight, LeaseRef lease, Mark mark) {
        return sight.isHeld(table) && isOurs(sight, lease, mark);
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
        return mark.isOf(sight, table) && (mark.owner() == null || mark.owner().equals(sight.owner()));
    }
}
