package dev.leasehold.jdbc;

import dev.leasehold.wire.Lanes;
import java.sql.SQLException;

/** Requests of one kind, which can go together in one statement if their keys differ. */
interface SqlBatch<Q, R> extends Lanes.Batch<Lane, Q, R, SQLException> {}
