package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import dev.leasehold.jdbc.RowMemory.Mark;
import dev.leasehold.store.Key;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.ReleaseRequest;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The verb release. On PostgreSQL, releases that come together are one statement, which waits for no row: those that it
 * leaves alone, because another transaction has the row locked or because the lease has ended, go alone.
 */
final class RowReleasing extends RowBatch<RowReleasing.Ending, Boolean> {
    private final RowTable table;
    private final RowStatements statements;

    RowReleasing(RowTable table, RowStatements statements) {
        super(table.dialect);
        this.table = table;
        this.statements = statements;
    }

    /** A lease that is to be ended. */
    static final class Ending {
        private final ReleaseRequest request;
        private final Object row;
        private final Mark mark;
        private volatile boolean isSent;

        Ending(ReleaseRequest request, Object row, Mark mark) {
            this.request = request;
            this.row = row;
            this.mark = mark;
        }

        private Key key() {
            return request.key();
        }

        private Nonce nonce() {
            return request.nonce();
        }

        private boolean keepsAttempts() {
            return request.ending() == ReleaseRequest.Ending.KEEP_ATTEMPTS;
        }

        /** Whether the row may have been changed although the call failed. */
        boolean isSent() {
            return isSent;
        }
    }

    /** Whether the lease of this object's own can be told by its mark alone; see {@link RowStatements#mark}. */
    boolean canGoTogether(Ending ending) {
        return table.dialect == Dialect.POSTGRESQL
                && !ending.keepsAttempts()
                && table.isKeyUnique()
                && !table.isMarkedByTime()
                && !table.mapping.makesRows();
    }

    @Override
    public Object key(Ending ending) {
        return ending.key();
    }

    @Override
    public Boolean alone(Lane lane, Ending ending) throws SQLException {
        Parameters parameters =
                RowLeaseStore.ours(table, lane, ending.row, ending.nonce(), ending.request.fence(), ending.mark);
        ending.isSent = true;
        return lane.update(ending.keepsAttempts() ? statements.releaseForRetry : statements.release, parameters) > 0;
    }

    @Override
    List<Optional<Boolean>> inOneStatement(Lane lane, List<Ending> all) throws SQLException {
        Parameters parameters = table.marks(lane.parameters()).texts("rows", all, ending -> table.text(ending.key()));
        if (table.has(Role.NONCE)) {
            parameters.texts("marks", all, Ending::nonce);
        } else {
            parameters.numbers("marks", all, ending -> ending.mark.fence().value());
        }
        all.forEach(ending -> ending.isSent = true);
        Set<String> ended = new HashSet<>(lane.query(statements.releaseMany, parameters, row -> row.getString("k")));
        return all.stream()
                .map(ending -> ended.contains(table.text(ending.key())) ? Optional.of(true) : Optional.<Boolean>empty())
                .toList();
    }
}
