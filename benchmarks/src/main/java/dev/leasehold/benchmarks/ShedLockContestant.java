package dev.leasehold.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock with JdbcTemplate and the database's time, as its documentation recommends. */
final class ShedLockContestant implements Contestant.Keeps, Contestant.Waits {
    /** It does not wait, so whoever wants the lock asks again: as often as Spring Integration does. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    @Override
    public String name() {
        return "shedlock";
    }

    /** Not on SQLite: a second client fails there, since the error for a row that exists is not recognised. */
    @Override
    public boolean knows(StoreKind store) {
        return store != StoreKind.SQLITE;
    }

    @Override
    public void createTables(DataSource source, StoreKind store) throws SQLException {
        String time = store == StoreKind.POSTGRES ? "timestamp" : "timestamp(3)";
        Sqls.run(
                source,
                "CREATE TABLE shedlock (name varchar(64) NOT NULL, lock_until " + time + " NOT NULL, locked_at " + time
                        + " NOT NULL DEFAULT CURRENT_TIMESTAMP, locked_by varchar(255) NOT NULL, PRIMARY KEY (name))");
    }

    @Override
    public Node<Worker.Locker> locking(DataSource source, StoreKind store, Cell cell) {
        HikariDataSource pool = Pool.on(source);
        LockProvider provider = provider(pool);
        return new Node<>(() -> key -> tryAcquire(provider, key, cell), pool::close);
    }

    @Override
    public Node<Worker.Waiter> waiting(DataSource source, StoreKind store, Cell cell) {
        HikariDataSource pool = Pool.on(source);
        LockProvider provider = provider(pool);
        return new Node<>(() -> key -> acquire(provider, key, cell), pool::close);
    }

    @Override
    public Keeper keeping(DataSource source, StoreKind store, Cell cell) {
        return new Client(Pool.on(source), cell);
    }

    private static JdbcTemplateLockProvider provider(DataSource pool) {
        return new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
    }

    private static Optional<SimpleLock> lock(LockProvider provider, String key, Cell cell) {
        return provider.lock(new LockConfiguration(Instant.now(), key, cell.ttl(), Duration.ZERO));
    }

    private static Optional<Worker.Hold> tryAcquire(LockProvider provider, String key, Cell cell) {
        return lock(provider, key, cell).map(lock -> lock::unlock);
    }

    private static Worker.Hold acquire(LockProvider provider, String key, Cell cell) {
        while (true) {
            Optional<Worker.Hold> hold = tryAcquire(provider, key, cell);
            if (hold.isPresent()) {
                return hold.get();
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private static final class Client implements Keeper {
        private static final int RENEWING_THREADS = 4;

        private final HikariDataSource pool;
        private final Cell cell;
        private final ScheduledExecutorService renewing = Executors.newScheduledThreadPool(RENEWING_THREADS);
        private final ConcurrentLinkedQueue<SimpleLock> kept = new ConcurrentLinkedQueue<>();

        Client(HikariDataSource pool, Cell cell) {
            this.pool = pool;
            this.cell = cell;
        }

        @Override
        public void keep(List<String> keys) throws Exception {
            LockProvider keeper = new KeepAliveLockProvider(provider(pool), renewing);
            Parallel.forEach(
                    keys,
                    Pool.CONNECTIONS,
                    key -> kept.add(lock(keeper, key, cell).orElseThrow()));
        }

        /** It tells nobody. */
        @Override
        public long lost() {
            return 0;
        }

        @Override
        public void close() {
            renewing.shutdownNow();
            pool.close();
        }
    }
}
