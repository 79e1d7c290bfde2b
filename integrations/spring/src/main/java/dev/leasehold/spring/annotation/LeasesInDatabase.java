package dev.leasehold.spring.annotation;

import dev.leasehold.jdbc.JdbcLeaseStore;
import dev.leasehold.once.Run;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Leases in the database of the application's own transactions. */
record LeasesInDatabase(JdbcLeaseStore store, DataSource source) {
    LeasesInDatabase {
        while (source instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
            source = proxy.getTargetDataSource();
        }
    }

    /** Whether the transaction of this thread is one of this database. */
    boolean isInTransaction() {
        return TransactionSynchronizationManager.getResource(source) instanceof ConnectionHolder;
    }

    /** SQLite lets no transaction write that has read and was then overtaken by another, such as a renewal. */
    void begin(Run<?> run) throws SQLException {
        if (store.name().startsWith("sqlite")) {
            store.fence(connection(), run.ref());
        }
    }

    /**
     * Writes the answer in the transaction of this thread.
     *
     * @throws dev.leasehold.store.StaleLeaseException if another caller took over the run, so that the transaction is rolled
     *     back
     */
    void settle(Run<Object> run, @Nullable Object value) throws SQLException {
        Connection connection = connection();
        if (!store.settle(connection, run.settling(value)).isSettled()) {
            store.fence(connection, run.ref());
            throw new IllegalStateException("The run has ended already: key " + run.key() + ".");
        }
    }

    private Connection connection() {
        ConnectionHolder holder = (ConnectionHolder) TransactionSynchronizationManager.getResource(source);
        if (holder == null) {
            throw new IllegalStateException("The transaction has ended already.");
        }
        return holder.getConnection();
    }
}
