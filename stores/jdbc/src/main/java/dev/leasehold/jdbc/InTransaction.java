package dev.leasehold.jdbc;

import dev.leasehold.once.Run;
import dev.leasehold.once.Work;
import dev.leasehold.store.StaleLeaseException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A run whose effects and answer are in the database together, or neither is. */
record InTransaction<R>(JdbcLeaseStore store, DataSource source, TransactionalWork<R> work) implements Work<R> {
    @Override
    public @Nullable R run(Run<R> run) throws Exception {
        R value;
        try (Loan loan = OwnThread.borrow(source)) {
            // At a stricter level, a renewal that falls into the work would make it fail at its end.
            loan.setIsolation(
                    store.isSqlite() ? Connection.TRANSACTION_SERIALIZABLE : Connection.TRANSACTION_READ_COMMITTED);
            loan.setAutoCommit(false);
            value = commit(loan.connection(), run);
        }
        // Whatever failed after the commit, the record tells that the run has ended well.
        run.recorded();
        return value;
    }

    /**
     * The connection, which fences the lease before the first statement of the work. SQLite lets no transaction write that
     * has read and was then overtaken by another commit, such as a renewal. One that has written is not overtaken.
     */
    private Connection writingFirst(Connection connection, Run<R> run) {
        AtomicBoolean isFenced = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (isUsing(method.getName()) && !isFenced.get()) {
                        store.fence(connection, run.ref());
                        isFenced.set(true);
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    private static boolean isUsing(String method) {
        return method.startsWith("create") || method.startsWith("prepare") || method.equals("getMetaData");
    }

    private @Nullable R commit(Connection connection, Run<R> run) throws Exception {
        try {
            R value = work.run(store.isSqlite() ? writingFirst(connection, run) : connection, run);
            if (!store.settle(connection, run.settling(value)).isSettled()) {
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
