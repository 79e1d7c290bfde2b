package dev.leasehold.jdbc;

import java.sql.SQLException;

/**
 * Changes of rows that do not wait for a transaction of the user's. PostgreSQL and MariaDB are told so by the statement
 * itself, see {@link RowStatements}; H2 by a setting of the session. SQLite locks no rows, only the whole database.
 */
final class RowLocks {
    private static final Sql PATIENCE = Sql.of("SELECT LOCK_TIMEOUT()");

    private RowLocks() {}

    /** How many rows were changed; none if a row is locked, or if this collided with another change of it. */
    static int updateUnlocked(Lane lane, Sql sql, Parameters parameters) throws SQLException {
        try {
            return lane.dialect == Dialect.H2 ? withoutPatience(lane, sql, parameters) : lane.update(sql, parameters);
        } catch (SQLException e) {
            if (lane.dialect != Dialect.SQLITE && SqlErrors.isConflict(e, lane.dialect)) {
                return 0;
            }
            throw e;
        }
    }

    private static int withoutPatience(Lane lane, Sql sql, Parameters parameters) throws SQLException {
        int patience =
                lane.query(PATIENCE, lane.parameters(), row -> row.getInt(1)).get(0);
        lane.execute("SET LOCK_TIMEOUT 1");
        try {
            return lane.update(sql, parameters);
        } finally {
            lane.execute("SET LOCK_TIMEOUT " + patience);
        }
    }
}
