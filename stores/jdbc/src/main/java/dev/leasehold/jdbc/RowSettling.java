package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import dev.leasehold.jdbc.RowMemory.Mark;
import dev.leasehold.store.Fields;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreRefusedException;
import dev.leasehold.wire.BoundedMap;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The verb settle on the user's own rows. One statement checks that the row is still the holder's, writes what the work
 * returned, marks the row and clears the lock, so nothing can fail between "done" and "unlocked".
 */
final class RowSettling {
    /** Work that writes different columns each time needs a statement for each set of them. */
    private static final int MOST_STATEMENTS = 64;

    private final RowTable table;
    private final RowStatements statements;
    private final Map<Shape, Sql> known = new BoundedMap<>(MOST_STATEMENTS);

    private record Shape(State state, List<String> names) {}

    RowSettling(RowTable table, RowStatements statements) {
        this.table = table;
        this.statements = statements;
    }

    SettleResult settle(Lane lane, LeaseRef lease, Object row, Mark mark, Settlement settlement) throws SQLException {
        Fields asked = settlement.fields() == null ? Fields.NONE : settlement.fields();
        State state = settlement.state();
        // The reason of a failure is written by its own columns, which no run may write otherwise.
        Fields written = state == State.DONE ? asked : Fields.NONE;
        Sql sql = statement(state, written);
        Parameters parameters = RowLeaseStore.ours(table, lane, row, lease.nonce(), lease.fence(), mark)
                .text("marker", table.mapping.mark(state));
        table.fields().bind(written, parameters);
        Optional<RowSight> after = state == State.FAILED
                ? fail(lane, sql, parameters, row, asked, lease)
                : done(lane, sql, parameters, row, written, lease);
        if (after.isPresent()) {
            checkMark(after.get(), lease, state);
            return recorded(after.get());
        }
        return RowAcquiring.record(lane, statements, table, row, lease.key())
                .map(seen -> settledBefore(seen, lease, mark, state, written))
                .orElse(SettleResult.SUPERSEDED);
    }

    /** A failure is kept even if its reason is not: what the columns do not take is left out of it. */
    private Optional<RowSight> fail(Lane lane, Sql sql, Parameters parameters, Object row, Fields asked, LeaseRef lease)
            throws SQLException {
        for (Reasons reasons : Reasons.values()) {
            parameters
                    .text("reason", table.fitted(Role.REASON, reasons.of(table.reason(asked, Role.REASON))))
                    .text("code", table.fitted(Role.CODE, reasons.of(table.reason(asked, Role.CODE))));
            try {
                return change(lane, sql, parameters, row, lease);
            } catch (SQLException e) {
                if (reasons == Reasons.NONE || !SqlErrors.isRefused(e, table.dialect)) {
                    throw refused(e, Fields.NONE, lease);
                }
            }
        }
        throw new IllegalStateException("The last try has an end of its own.");
    }

    /** The forms in which a reason is written, one for each try. */
    private enum Reasons {
        ALL,
        WITHOUT_ZEROS,
        ASCII,
        NONE;

        @Nullable
        String of(@Nullable String text) {
            if (text == null || this == NONE) {
                return null;
            }
            // Half a character, which no database takes, becomes a question mark.
            String whole = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
            return switch (this) {
                case ALL, NONE -> whole;
                case WITHOUT_ZEROS -> whole.replace('\0', '?');
                case ASCII -> whole.replace('\0', '?').replaceAll("[^\\p{ASCII}]", "?");
            };
        }
    }

    private Optional<RowSight> change(Lane lane, Sql sql, Parameters parameters, Object row, LeaseRef lease)
            throws SQLException {
        if (statements.canReturn()) {
            return lane.query(sql, parameters, result -> RowSight.readRecord(result, table)).stream()
                    .findFirst();
        }
        return lane.update(sql, parameters) == 0
                ? Optional.empty()
                : RowAcquiring.record(lane, statements, table, row, lease.key());
    }

    private Optional<RowSight> done(
            Lane lane, Sql sql, Parameters parameters, Object row, Fields written, LeaseRef lease) throws SQLException {
        try {
            return change(lane, sql, parameters, row, lease);
        } catch (SQLException e) {
            throw refused(e, written, lease);
        }
    }

    /** Throws what says that nothing was written and nothing will be; if that is not so, gives the error back. */
    private SQLException refused(SQLException error, Fields written, LeaseRef lease) {
        if (!SqlErrors.isRefused(error, table.dialect)) {
            return error;
        }
        String columns = written.isEmpty() ? "" : " (columns: " + String.join(", ", written.names()) + ")";
        throw new StoreRefusedException(
                "The database refused the result of " + table.traits().nameOf(lease.key()) + columns + ": "
                        + SqlErrors.withoutValues(error, table.dialect),
                error);
    }

    /**
     * Fails if the written row does not count as finished: a trigger or the column's type changed the value, and the work
     * would run again for ever.
     */
    private void checkMark(RowSight after, LeaseRef lease, State state) {
        boolean isMarked = after.isFinished() && after.content().isFailed() == (state == State.FAILED);
        boolean isStillMine = after.stamp() == null && isOf(after, lease);
        if (!isMarked && isStillMine) {
            String mark = table.mapping.mark(state);
            throw new StoreRefusedException(
                    "The row " + table.traits().nameOf(lease.key())
                            + " was written and unlocked, but does not count as "
                            + (state == State.DONE ? "done" : "failed") + ": its column "
                            + table.column(RowMarks.roleOf(state)) + " does not hold "
                            + (mark == null ? "a time" : "\"" + mark + "\"")
                            + ". Look for a trigger or a type of the column that changes it, or for a program that changed the row"
                            + " at the same moment",
                    null);
        }
    }

    private boolean isOf(RowSight seen, LeaseRef lease) {
        boolean isNonceMine = !table.has(Role.NONCE) || lease.nonce().toString().equals(seen.nonce());
        boolean isFenceMine =
                !table.has(Role.FENCE) || Long.valueOf(lease.fence().value()).equals(seen.fence());
        return isNonceMine && isFenceMine;
    }

    private static SettleResult recorded(RowSight row) {
        Fields fields = row.content().fields();
        return SettleResult.settled(fields == null ? Fields.NONE : fields);
    }

    /** The result of an earlier try of the same request, whose reply was lost. */
    private SettleResult settledBefore(RowSight seen, LeaseRef lease, Mark mark, State state, Fields written) {
        // A settlement clears the time. Where it still stands, another program has marked the row.
        boolean isWanted =
                seen.isFinished() && seen.stamp() == null && seen.content().isFailed() == (state == State.FAILED);
        if (!isWanted) {
            return SettleResult.SUPERSEDED;
        }
        Fields fields = seen.content().fields();
        if (!table.isMarkedByTime()) {
            if (!isOf(seen, lease)) {
                return SettleResult.SUPERSEDED;
            }
            // A program that knows no marks leaves them as they are, and writes a result of its own.
            return fields == null || table.fields().mayBe(written, fields) ? recorded(seen) : SettleResult.UNKNOWN;
        }
        // Until the last expiry that this holder wrote, no other holder can have taken the row.
        boolean isSame = fields != null
                && written.names().stream()
                        .allMatch(name -> Objects.equals(
                                Fields.of(name, written.value(name)), Fields.of(name, fields.value(name))));
        return isSame && seen.clock() < mark.sureUntil(table) ? recorded(seen) : SettleResult.UNKNOWN;
    }

    private Sql statement(State state, Fields written) {
        Shape shape = new Shape(state, List.copyOf(written.names()));
        synchronized (known) {
            Sql sql = known.get(shape);
            if (sql == null) {
                sql = statements.settle(state, table.fields().assignments(written));
                known.put(shape, sql);
            }
            return sql;
        }
    }
}
