package dev.leasehold.jdbc;

import java.sql.SQLException;

/**
 * Changes of rows that do not wait for a transaction of the user's. PostgreSQL and MariaDB are told so by the statement
 * itself, see {@link RowStatements}; H2 by a setting of our session. SQLite locks no rows, only the whole database.
 */
final class RowLocks {
    private RowLocks() {}

    /** How many rows were changed; none if a row is locked, or if this collided with another change of it. */
    static int updateUnlocked(Lane lane, Sql sql, Parameters parameters) throws SQLException {
        try {
            return lane.update(sql, parameters);
        } catch (SQLException e) {
            if (lane.dialect != Dialect.SQLITE && SqlErrors.isConflict(e, lane.dialect)) {
                return 0;
            }
            throw e;
        }
    }
}
