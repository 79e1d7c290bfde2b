package dev.leasehold.faults;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock with JdbcTemplate and the database's time. Its keep-alive wants 30 s at least, so it is extended by hand. */
final class ShedLockPeer implements Peer {
    static final String TABLE =
            "CREATE TABLE shedlock (name varchar(64) NOT NULL, lock_until timestamp NOT NULL, locked_at timestamp NOT"
                    + " NULL DEFAULT CURRENT_TIMESTAMP, locked_by varchar(255) NOT NULL, PRIMARY KEY (name))";

    private final HikariDataSource pool;
    private final LockProvider provider;

    ShedLockPeer(HikariDataSource pool) {
        this.pool = pool;
        this.provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
    }

    @Override
    public Optional<Hold> tryAcquire(String key) {
        return provider.lock(new LockConfiguration(Instant.now(), key, Shift.TTL, Duration.ZERO))
                .map(Held::new);
    }

    @Override
    public void close() {
        pool.close();
    }

    private static final class Held implements Hold {
        private SimpleLock lock;

        Held(SimpleLock lock) {
            this.lock = lock;
        }

        @Override
        public boolean renew() {
            Optional<SimpleLock> extended = lock.extend(Shift.TTL, Duration.ZERO);
            lock = extended.orElse(lock);
            return extended.isPresent();
        }

        @Override
        public void release() {
            lock.unlock();
        }
    }
}
