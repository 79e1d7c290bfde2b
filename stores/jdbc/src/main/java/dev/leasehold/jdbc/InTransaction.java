package dev.leasehold.jdbc;

import dev.leasehold.once.Run;
import dev.leasehold.once.Work;
import dev.leasehold.store.SettleResult;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A run whose effects and answer are in the database together, or neither is. */
record InTransaction<R>(JdbcLeaseStore store, DataSource source, TransactionalWork<R> work) implements Work<R> {
    @Override
    public @Nullable R run(Run<R> run) throws Exception {
        R value;
        try (Loan loan = Loan.from(source)) {
            if (!store.isSqlite()) {
                // At a stricter level, a renewal that falls into the work would make it fail at its end.
                loan.setIsolation(Connection.TRANSACTION_READ_COMMITTED);
            }
            loan.setAutoCommit(false);
            value = commit(loan.connection(), run);
        }
        // Whatever failed after the commit, the record tells that the run has ended well.
        run.recorded();
        return value;
    }

    private @Nullable R commit(Connection connection, Run<R> run) throws Exception {
        try {
            R value = work.run(connection, run);
            if (store.settle(connection, run.settling(value)) == SettleResult.SUPERSEDED) {
                throw new StaleLeaseException(run.ref());
            }
            connection.commit();
            return value;
        } catch (Throwable e) {
            try {
                connection.rollback();
            } catch (SQLException trouble) {
                e.addSuppressed(trouble);
            }
            throw e;
        }
    }
}
