package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.Key;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import dev.leasehold.tck.process.ChildJvm;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@DisplayName("A client in another process")
class KilledClientTest {
    private static final Duration TTL = Duration.ofSeconds(2);

    private TestDatabase database;

    @AfterEach
    void close() {
        database.close();
    }

    /** Acquires a key, says so, and says each time it is asked whether the lease is valid. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] arguments) throws Exception {
            JdbcLeaseStore store = JdbcLeaseStore.builder(new UrlDataSource(arguments[0], arguments[1], arguments[2]))
                    .callLimit(Duration.ofMillis(1_500))
                    .open();
            Leases leases = Leases.on(store);
            System.out.println("open");
            Lease lease = leases.tryAcquire(
                            Key.of(arguments[3]), LeaseOptions.noWait().withTtl(TTL))
                    .orElseThrow();
            System.out.println("held");
            BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (asked.readLine() != null) {
                System.out.println(lease.isValid() ? "valid" : "not valid");
            }
        }
    }

    private ChildJvm holder(Key key) throws Exception {
        ChildJvm holder =
                ChildJvm.start(Holder.class, database.url(), database.user(), database.password(), key.value());
        assertThat(holder.line()).isEqualTo("open");
        return holder;
    }

    private TestDatabase open(Kind kind) {
        database = kind == Kind.POSTGRESQL ? TestDatabase.postgres(18) : TestDatabase.mariaDb();
        return database;
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("T01 that is killed while it holds a lease blocks whoever waits for no longer than the TTL")
    void killedHolder(Kind kind) throws Exception {
        Key key = Ask.key();
        try (JdbcLeaseStore store = JdbcLeaseStore.of(open(kind).source());
                Leases leases = Leases.on(store)) {
            long killed;
            try (ChildJvm holder = holder(key)) {
                assertThat(holder.line()).isEqualTo("held");
                killed = System.nanoTime();
            }
            Lease lease = leases.acquire(key, LeaseOptions.waitFor(Duration.ofSeconds(15)))
                    .orElseThrow();
            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(TTL.plusSeconds(1));
            assertThat(lease.predecessor()).isPresent();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("T02 that is stopped past its TTL is taken over, and knows it when it goes on")
    void stoppedHolder(Kind kind) throws Exception {
        Key key = Ask.key();
        try (JdbcLeaseStore store = JdbcLeaseStore.of(open(kind).source());
                Leases leases = Leases.on(store);
                ChildJvm holder = holder(key)) {
            assertThat(holder.line()).isEqualTo("held");
            holder.say("?");
            assertThat(holder.line()).isEqualTo("valid");
            holder.stop();
            Lease lease = leases.acquire(key, LeaseOptions.waitFor(Duration.ofSeconds(15)))
                    .orElseThrow();
            holder.say("?");
            holder.resume();
            assertThat(holder.line()).isEqualTo("not valid");
            assertThat(lease.isValid()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("A09 that is killed while its statement waits leaves no ghost behind: the server ends the statement")
    void killedWhileWaiting(Kind kind) throws Exception {
        Key key = Ask.key();
        try (JdbcLeaseStore store = JdbcLeaseStore.of(open(kind).source())) {
            Ask.take(store, Ask.of(key, Duration.ofNanos(1_000)));
            try (Connection stranger = Sessions.lockRow(database.source(), key)) {
                try (ChildJvm holder = holder(key)) {
                    Threads.eventually("its statement waits", () -> waiting(kind) > 0);
                    assertThat(holder.isAlive()).isTrue();
                }
                Threads.eventually("the server has ended it", () -> waiting(kind) == 0);
                stranger.rollback();
            }
            Threads.pause(Duration.ofMillis(200));
            assertThat(store.find(key).orElseThrow().isHeld()).isFalse();
            assertThat(Ask.take(store, key).key()).isEqualTo(key);
        }
    }

    /** How many wait for a row. Not from MariaDB's table of transactions, which is not renewed while it is watched. */
    private int waiting(Kind kind) {
        String sql = kind == Kind.POSTGRESQL
                ? "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                : "SELECT variable_value FROM information_schema.global_status"
                        + " WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'";
        try {
            return Integer.parseInt(Sessions.ask(database.source(), sql));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
