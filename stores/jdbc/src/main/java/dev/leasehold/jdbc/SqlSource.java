package dev.leasehold.jdbc;

import dev.leasehold.wire.Lanes;
import java.sql.SQLException;

/** Opens connections to a database, and knows what their errors mean. */
interface SqlSource extends Lanes.LaneSource<Lane, SQLException> {
    @Override
    default Class<SQLException> errors() {
        return SQLException.class;
    }

    @Override
    default boolean isHarmless(SQLException error, Lane lane) {
        return SqlErrors.isConflict(error, lane.dialect);
    }

    @Override
    default boolean isLost(SQLException error) {
        return SqlErrors.isLostConnection(error);
    }

    @Override
    default String plural() {
        return "database connections";
    }
}
