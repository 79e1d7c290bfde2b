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
final class ShedLockContestant implements Contestant {
    /** It does not wait, so whoever wants the lock asks again: as often as Spring Integration does. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    @Override
    public String name() {
        return "shedlock";
    }

    /** Not on SQLite: a second client fails there, since the error for a row that exists is not recognised. */
    @Override
    public boolean takesPart(Cell cell, StoreKind store) {
        return store != StoreKind.SQLITE && cell != Cell.W7 && !cell.isOnce();
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
    public Node open(DataSource source, StoreKind store, Cell cell) {
        HikariDataSource pool = Pool.on(source);
        JdbcTemplateLockProvider.Configuration configuration = JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build();
        return new Client(pool, new JdbcTemplateLockProvider(configuration), cell.ttl());
    }

    private static final class Client implements Node {
        private static final int RENEWING_THREADS = 4;

        private final Duration ttl;
        private final HikariDataSource pool;
        private final JdbcTemplateLockProvider provider;
        private final ScheduledExecutorService renewing = Executors.newScheduledThreadPool(RENEWING_THREADS);
        private final ConcurrentLinkedQueue<SimpleLock> kept = new ConcurrentLinkedQueue<>();

        Client(HikariDataSource pool, JdbcTemplateLockProvider provider, Duration ttl) {
            this.ttl = ttl;
            this.pool = pool;
            this.provider = provider;
        }

        @Override
        public Worker worker() {
            return new Worker() {
                @Override
                public Optional<Hold> tryAcquire(String key) {
                    return lock(provider, key).map(lock -> lock::unlock);
                }

                @Override
                public Hold acquire(String key) {
                    while (true) {
                        Optional<Hold> hold = tryAcquire(key);
                        if (hold.isPresent()) {
                            return hold.get();
                        }
                        LockSupport.parkNanos(PAUSE.toNanos());
                    }
                }
            };
        }

        private Optional<SimpleLock> lock(LockProvider provider, String key) {
            return provider.lock(new LockConfiguration(Instant.now(), key, ttl, Duration.ZERO));
        }

        @Override
        public void keep(List<String> keys) throws Exception {
            LockProvider keeper = new KeepAliveLockProvider(provider, renewing);
            Parallel.forEach(
                    keys, Pool.CONNECTIONS, key -> kept.add(lock(keeper, key).orElseThrow()));
        }

        @Override
        public void close() {
            renewing.shutdownNow();
            pool.close();
        }
    }
}
