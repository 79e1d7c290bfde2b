package dev.leasehold.spring.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Leases;
import dev.leasehold.servers.Config;
import dev.leasehold.servers.Database;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Stores;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * What ShedLock's own JDBC provider loses, beside ours on the same PostgreSQL. Its half fails as shown: if a test fails there,
 * ShedLock has become better, and the guide is to say so.
 */
@Tag("slow")
@DisplayName("Beside ShedLock's JDBC provider, ours")
@Timeout(120)
class BesideShedLockTest {
    private static final String NAME = "nightly";
    private static final Duration LONG = Duration.ofMinutes(5);

    private final PostgresServer server =
            PostgresServer.start(18, Config.relaxed().withMovableClock());
    private final Database database = server.freshDatabase();

    private LeaseStore store;
    private Leases leases;
    private LeaseLockProvider ours;
    private JdbcTemplate jdbc;

    @BeforeEach
    void open() {
        DriverManagerDataSource source =
                new DriverManagerDataSource(database.url(), database.user(), database.password());
        jdbc = new JdbcTemplate(source);
        jdbc.execute("CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until TIMESTAMP NOT NULL,"
                + " locked_at TIMESTAMP NOT NULL, locked_by VARCHAR(255) NOT NULL)");
        store = Stores.builder(database.url())
                .user(database.user(), database.password())
                .creatingSchema()
                .open();
        leases = Leases.on(store);
        ours = new LeaseLockProvider(leases);
    }

    @AfterEach
    void close() {
        ClockProvider.setClock(Clock.systemUTC());
        ours.close();
        leases.close();
        store.close();
        server.close();
    }

    /** As its documentation recommends: by the database's clock. */
    private LockProvider theirsByDatabaseTime() {
        return new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(jdbc)
                .usingDbTime()
                .build());
    }

    /** As it comes: by the clock of each host. */
    private LockProvider theirs() {
        return new JdbcTemplateLockProvider(jdbc.getDataSource());
    }

    private static LockConfiguration config(Duration atMost) {
        return new LockConfiguration(ClockProvider.now(), NAME, atMost, Duration.ZERO);
    }

    private static Optional<SimpleLock> lock(LockProvider provider, Duration atMost) {
        return provider.lock(config(atMost));
    }

    @Test
    @DisplayName("does not let a stale run of the same host release its successor's lock")
    void staleRelease() throws Exception {
        assertThat(isFreeAfterStaleUnlock(theirsByDatabaseTime())).isTrue();
        assertThat(isFreeAfterStaleUnlock(ours)).isFalse();
    }

    /** A run outlives its lock, its successor starts, and then the first run ends. */
    private static boolean isFreeAfterStaleUnlock(LockProvider provider) throws InterruptedException {
        SimpleLock stale = lock(provider, Duration.ofMillis(300)).orElseThrow();
        Thread.sleep(600);
        assertThat(lock(provider, LONG)).isPresent();
        stale.unlock();
        return lock(provider, LONG).isPresent();
    }

    @Test
    @DisplayName("gives no second lock to a host whose clock is an hour ahead")
    void ahead() {
        assertThat(isGivenTwice(theirs(), Duration.ofHours(1))).isTrue();
        assertThat(isGivenTwice(ours, Duration.ofHours(1))).isFalse();
    }

    @Test
    @DisplayName("gives no second lock beside a host whose clock is an hour behind")
    void behind() {
        ClockProvider.setClock(Clock.offset(Clock.systemUTC(), Duration.ofHours(-1)));
        assertThat(isGivenTwice(theirs(), Duration.ZERO)).isTrue();
        ClockProvider.setClock(Clock.offset(Clock.systemUTC(), Duration.ofHours(-1)));
        assertThat(isGivenTwice(ours, Duration.ZERO)).isFalse();
    }

    /** The first host has the clock that is set, the second one that is so much ahead of the true time. */
    private static boolean isGivenTwice(LockProvider provider, Duration second) {
        assertThat(lock(provider, LONG)).isPresent();
        ClockProvider.setClock(Clock.offset(Clock.systemUTC(), second));
        return lock(provider, LONG).isPresent();
    }

    @Test
    @DisplayName("holds for its time with a server whose clock is an hour off")
    void serverClock() throws Exception {
        for (Duration shift : new Duration[] {Duration.ofHours(1), Duration.ofHours(-2)}) {
            server.moveClock(shift);
            SimpleLock lock = lock(ours, Duration.ofSeconds(3)).orElseThrow();
            Thread.sleep(1_500);
            assertThat(lock(ours, LONG)).isEmpty();
            lock.unlock();
            SimpleLock next = lock(ours, LONG).orElseThrow();
            next.unlock();
        }
    }

    @Test
    @DisplayName("does not count its time from a transaction's beginning, which may be long ago")
    void frozenNow() throws Exception {
        Duration atMost = Duration.ofSeconds(2);
        LockProvider theirs = theirsByDatabaseTime();
        lock(theirs, atMost).orElseThrow().unlock();
        assertThat(isFreeRightAfterSlowLock(theirs, atMost, "SELECT 1 FROM shedlock FOR UPDATE"))
                .isTrue();

        lock(ours, atMost).orElseThrow().unlock();
        assertThat(isFreeRightAfterSlowLock(ours, atMost, "SELECT 1 FROM leasehold_lease FOR UPDATE"))
                .isFalse();
        assertThat(store.find(Key.of(NAME)).orElseThrow().isHeld()).isTrue();
    }

    /** A run waits for its lock's row longer than the lock is to last, since somebody else has locked the row. */
    private boolean isFreeRightAfterSlowLock(LockProvider provider, Duration atMost, String lockRow) throws Exception {
        CompletableFuture<Optional<SimpleLock>> slow;
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute(lockRow);
            slow = CompletableFuture.supplyAsync(() -> untilLocked(provider, atMost));
            Thread.sleep(atMost.plusMillis(500).toMillis());
            commit(other);
        }
        assertThat(slow.get(30, TimeUnit.SECONDS)).isPresent();
        return lock(provider, LONG).isPresent();
    }

    private static void commit(Connection connection) throws SQLException {
        connection.commit();
    }

    private static Optional<SimpleLock> untilLocked(LockProvider provider, Duration atMost) {
        Optional<SimpleLock> lock = lock(provider, atMost);
        while (lock.isEmpty()) {
            lock = lock(provider, atMost);
        }
        return lock;
    }
}
