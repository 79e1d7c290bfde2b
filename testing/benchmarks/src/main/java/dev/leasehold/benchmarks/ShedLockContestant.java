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
import java.util.function.Function;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock with JdbcTemplate and the database's time, as its documentation recommends, or with Redis as it is. */
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
        return store != StoreKind.SQLITE && store != StoreKind.FIRESTORE;
    }

    @Override
    public void createTables(Bed bed) throws SQLException {
        if (!bed.store.isSql()) {
            return;
        }
        String time = bed.store == StoreKind.POSTGRES ? "timestamp" : "timestamp(3)";
        Sqls.run(
                bed.source(),
                "CREATE TABLE shedlock (name varchar(64) NOT NULL, lock_until " + time + " NOT NULL, locked_at " + time
                        + " NOT NULL DEFAULT CURRENT_TIMESTAMP, locked_by varchar(255) NOT NULL, PRIMARY KEY (name))");
    }

    @Override
    public Node<Worker.Locker> locking(Bed bed, Cell cell) {
        return node(bed, provider -> key -> tryAcquire(provider, key, cell));
    }

    @Override
    public Node<Worker.Waiter> waiting(Bed bed, Cell cell) {
        return node(bed, provider -> key -> acquire(provider, key, cell));
    }

    @Override
    public Node<Worker.Keeper> keeping(Bed bed, Cell cell) {
        return node(bed, provider -> new Kept(provider, cell));
    }

    private static <W extends Worker> Node<W> node(Bed bed, Function<ExtensibleLockProvider, W> workers) {
        return bed.store.isSql() ? onSql(bed, workers) : onRedis(bed, workers);
    }

    private static <W extends Worker> Node<W> onRedis(Bed bed, Function<ExtensibleLockProvider, W> workers) {
        LettuceConnectionFactory factory = SpringRedis.to(bed);
        RedisLockProvider provider = new RedisLockProvider(factory);
        return new Node<>(() -> workers.apply(provider), factory::destroy);
    }

    private static <W extends Worker> Node<W> onSql(Bed bed, Function<ExtensibleLockProvider, W> workers) {
        HikariDataSource pool = Pool.on(bed.source());
        JdbcTemplateLockProvider provider =
                new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                        .withJdbcTemplate(new JdbcTemplate(pool))
                        .usingDbTime()
                        .build());
        return new Node<>(() -> workers.apply(provider), pool::close);
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

    private static final class Kept implements Worker.Keeper {
        private static final int RENEWING_THREADS = 4;

        private final Cell cell;
        private final ScheduledExecutorService renewing = Executors.newScheduledThreadPool(RENEWING_THREADS);
        private final LockProvider provider;
        private final ConcurrentLinkedQueue<SimpleLock> kept = new ConcurrentLinkedQueue<>();

        Kept(ExtensibleLockProvider provider, Cell cell) {
            this.cell = cell;
            this.provider = new KeepAliveLockProvider(provider, renewing);
        }

        @Override
        public void keep(List<String> keys) throws Exception {
            Parallel.forEach(
                    keys,
                    Pool.CONNECTIONS,
                    key -> kept.add(lock(provider, key, cell).orElseThrow()));
        }

        /** It tells nobody. */
        @Override
        public long lost() {
            return 0;
        }

        @Override
        public void close() {
            renewing.shutdownNow();
        }
    }
}
