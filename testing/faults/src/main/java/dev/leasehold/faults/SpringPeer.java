package dev.leasehold.faults;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Spring Integration's locks in a database, renewed by hand, since only the thread that holds one may. */
final class SpringPeer implements Peer {
    static final String TABLE =
            "CREATE TABLE INT_LOCK (LOCK_KEY char(36) NOT NULL, REGION varchar(100) NOT NULL, CLIENT_ID char(36),"
                    + " CREATED_DATE timestamp NOT NULL, EXPIRED_AFTER timestamp NOT NULL,"
                    + " PRIMARY KEY (LOCK_KEY, REGION))";

    private final HikariDataSource pool;
    private final DefaultLockRepository repository;
    private final JdbcLockRegistry registry;

    SpringPeer(HikariDataSource pool) {
        this.pool = pool;
        this.repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        // What its documentation advises for PostgreSQL.
        repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        this.registry = new JdbcLockRegistry(repository, Shift.TTL);
    }

    @Override
    public Optional<Hold> tryAcquire(String key) {
        Lock lock = registry.obtain(key);
        return lock.tryLock() ? Optional.of(new Held(key, lock)) : Optional.empty();
    }

    @Override
    public void close() {
        repository.stop();
        pool.close();
    }

    private final class Held implements Hold {
        private final String key;
        private final Lock lock;

        Held(String key, Lock lock) {
            this.key = key;
            this.lock = lock;
        }

        @Override
        public boolean renew() {
            try {
                registry.renewLock(key);
                return true;
            } catch (IllegalStateException lost) {
                return false;
            }
        }

        @Override
        public void release() {
            try {
                lock.unlock();
            } catch (ConcurrentModificationException lost) {
                // It had expired; there is nothing to give back.
                return;
            }
        }
    }
}
