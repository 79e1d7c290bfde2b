package dev.leasehold.jdbc;

import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Requests for different rows of the user's that can go together in one statement. If the database refuses the statement,
 * for one row or one key among many, each request goes alone: the others have nothing to do with it.
 */
abstract class RowBatch<Q, R> implements SqlBatch<Q, R> {
    private final Dialect dialect;

    RowBatch(Dialect dialect) {
        this.dialect = dialect;
    }

    abstract List<Optional<R>> inOneStatement(Lane lane, List<Q> all) throws SQLException;

    @Override
    public final List<Optional<R>> together(Lane lane, List<Q> all) throws SQLException {
        try {
            return inOneStatement(lane, all);
        } catch (SQLException e) {
            if (!SqlErrors.isRefused(e, dialect)) {
                throw e;
            }
            return Collections.nCopies(all.size(), Optional.empty());
        }
    }
}
