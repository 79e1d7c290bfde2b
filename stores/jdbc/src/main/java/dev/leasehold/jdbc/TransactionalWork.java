package dev.leasehold.jdbc;

import dev.leasehold.once.Run;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** Work whose effects are written in the same transaction as its answer; see {@link JdbcLeaseStore#inTransaction}. */
@FunctionalInterface
public interface TransactionalWork<R> {
    /** Writes its effects on this connection, and neither commits nor closes it. */
    @Nullable
    R run(Connection connection, Run<R> run) throws Exception;
}
