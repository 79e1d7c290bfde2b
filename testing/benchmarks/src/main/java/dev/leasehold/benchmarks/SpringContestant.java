package dev.leasehold.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.function.Function;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Spring Integration's locks in a database. It has no keep-alive there, and a release leaves no record. */
final class SpringContestant implements Contestant.Locks, Contestant.Queues {
    @Override
    public String name() {
        return "spring-integration";
    }

    /** Not on SQLite, whose errors it does not know. */
    @Override
    public boolean knows(StoreKind store) {
        return store == StoreKind.POSTGRES || store == StoreKind.MARIADB;
    }

    @Override
    public void createTables(Bed bed) throws SQLException {
        String time = bed.store == StoreKind.MARIADB ? "datetime(6)" : "timestamp";
        Sqls.run(
                bed.source(),
                "CREATE TABLE INT_LOCK (LOCK_KEY char(36) NOT NULL, REGION varchar(100) NOT NULL, CLIENT_ID char(36),"
                        + " CREATED_DATE " + time + " NOT NULL, EXPIRED_AFTER " + time + " NOT NULL,"
                        + " PRIMARY KEY (LOCK_KEY, REGION))");
    }

    @Override
    public Node<Worker.Locker> locking(Bed bed, Cell cell) {
        return node(bed, cell, registry -> key -> JavaLocks.tryAcquire(registry.obtain(key)));
    }

    @Override
    public Node<Worker.Waiter> waiting(Bed bed, Cell cell) {
        return node(bed, cell, registry -> key -> JavaLocks.acquire(registry.obtain(key)));
    }

    private static <W extends Worker> Node<W> node(Bed bed, Cell cell, Function<JdbcLockRegistry, W> workers) {
        HikariDataSource pool = Pool.on(bed.source());
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        if (bed.store == StoreKind.POSTGRES) {
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
}
