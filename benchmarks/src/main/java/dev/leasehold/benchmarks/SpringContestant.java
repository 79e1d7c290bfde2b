package dev.leasehold.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import javax.sql.DataSource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Spring Integration's locks in a database. It has no keep-alive there. */
final class SpringContestant implements Contestant {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Override
    public String name() {
        return "spring-integration";
    }

    /** Its records are gone after a release, so there is nothing to grow; and it does not know SQLite's errors. */
    @Override
    public boolean takesPart(Cell cell, StoreKind store) {
        return cell != Cell.W5 && cell != Cell.W7 && !cell.isOnce() && store != StoreKind.SQLITE;
    }

    @Override
    public void createTables(DataSource source, StoreKind store) throws SQLException {
        String time = store == StoreKind.MARIADB ? "datetime(6)" : "timestamp";
        Sqls.run(
                source,
                "CREATE TABLE INT_LOCK (LOCK_KEY char(36) NOT NULL, REGION varchar(100) NOT NULL, CLIENT_ID char(36),"
                        + " CREATED_DATE " + time + " NOT NULL, EXPIRED_AFTER " + time + " NOT NULL,"
                        + " PRIMARY KEY (LOCK_KEY, REGION))");
    }

    @Override
    public Node open(DataSource source, StoreKind store, Cell cell) {
        HikariDataSource pool = Pool.on(source);
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        if (store == StoreKind.POSTGRES) {
            // What its documentation advises for PostgreSQL.
            repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
        }
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        JdbcLockRegistry registry = new JdbcLockRegistry(repository, cell.ttl());
        return new Node() {
            @Override
            public Worker worker() {
                return new Locks(registry);
            }

            @Override
            public void close() {
                repository.stop();
                pool.close();
            }
        };
    }

    private record Locks(JdbcLockRegistry registry) implements Worker {
        @Override
        public Optional<Hold> tryAcquire(String key) {
            Lock lock = registry.obtain(key);
            return lock.tryLock() ? Optional.of(lock::unlock) : Optional.empty();
        }

        @Override
        public Hold acquire(String key) throws InterruptedException {
            Lock lock = registry.obtain(key);
            if (!lock.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("No lock on " + key + " within " + PATIENCE);
            }
            return lock::unlock;
        }
    }
}
