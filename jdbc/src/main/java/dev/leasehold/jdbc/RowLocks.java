package dev.leasehold.jdbc;

import java.sql.SQLException;

/**
 * Changes of rows that do not wait for a transaction of the user's. PostgreSQL and MariaDB are told so by the statement
 * itself, see {@link RowStatements}; H2 by a setting of our session. SQLite locks no rows, only the whole database.
 */
final class RowLocks {
    private static final int PATIENCE_MILLIS = 10;
    private static final Sql PATIENCE = Sql.of("SELECT LOCK_TIMEOUT()");

    private RowLocks() {}

    /** How many rows were changed; none if a row is locked, or if this collided with another change of it. */
    static int updateUnlocked(Lane lane, Sql sql, Parameters parameters) throws SQLException {
        if (lane.dialect == Dialect.H2) {
            beImpatient(lane);
        }
        try {
            return lane.update(sql, parameters);
        } catch (SQLException e) {
            if (lane.dialect != Dialect.SQLITE && SqlErrors.isConflict(e, lane.dialect)) {
                return 0;
            }
            throw e;
        }
    }

    /**
     * Once for each session, because H2 compiles all its statements again after a change of a setting. What has to wait,
     * such as a release, is tried again by {@link Database}.
     */
    private static void beImpatient(Lane lane) throws SQLException {
        int millis =
                lane.query(PATIENCE, lane.parameters(), row -> row.getInt(1)).get(0);
        if (millis != PATIENCE_MILLIS) {
            lane.execute("SET LOCK_TIMEOUT " + PATIENCE_MILLIS);
        }
    }
}
