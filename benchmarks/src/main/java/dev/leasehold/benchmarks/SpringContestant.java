package dev.leasehold.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import javax.sql.DataSource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Spring Integration's locks in a database. It has no keep-alive there, and a release leaves no record. */
final class SpringContestant implements Contestant.Locks, Contestant.Waits {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Override
    public String name() {
        return "spring-integration";
    }

    /** Not on SQLite, whose errors it does not know. */
    @Override
    public boolean knows(StoreKind store) {
        return store != StoreKind.SQLITE;
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
    public Node<Worker.Locker> locking(DataSource source, StoreKind store, Cell cell) {
        return node(source, store, cell, registry -> key -> tryAcquire(registry.obtain(key)));
    }

    @Override
    public Node<Worker.Waiter> waiting(DataSource source, StoreKind store, Cell cell) {
        return node(source, store, cell, registry -> key -> acquire(registry.obtain(key)));
    }

    private static <W extends Worker> Node<W> node(
            DataSource source, StoreKind store, Cell cell, Function<JdbcLockRegistry, W> workers) {
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
        return new Node<>(() -> workers.apply(registry), () -> {
            repository.stop();
            pool.close();
        });
    }

    private static Optional<Worker.Hold> tryAcquire(Lock lock) {
        return lock.tryLock() ? Optional.of(lock::unlock) : Optional.empty();
    }

    private static Worker.Hold acquire(Lock lock) throws InterruptedException {
        if (!lock.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("No lock within " + PATIENCE);
        }
        return lock::unlock;
    }
}
