package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.Leases;
import dev.leasehold.servers.Config;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.servers.SqlServer;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Race;
import dev.leasehold.tck.Threads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@DisplayName("A server that is killed, hangs or is started again")
class RestartTest {
    private SqlServer server;
    private TestDatabase database;
    private JdbcLeaseStore store;

    private void start(Kind kind) {
        server = kind == Kind.POSTGRESQL
                ? PostgresServer.start(18, Config.relaxed())
                : MariaDbServer.start(Config.relaxed());
        database = TestDatabase.on(server);
        store = JdbcLeaseStore.builder(database.source())
                .callLimit(Duration.ofSeconds(1))
                .open();
    }

    @AfterEach
    void close() {
        store.close();
        server.close();
    }

    /** Uses several connections at once, so that several are there to be lost. */
    private void warm() throws Exception {
        Race.of(8, racer -> () -> Ask.take(store, Ask.key()));
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("F03 has kept every lease, gives larger fences, and costs one call at most")
    void restarted(Kind kind) throws Exception {
        start(kind);
        warm();
        LeaseRef lease = Ask.take(store, Ask.key());
        server.kill();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> store.acquire(Ask.of(Ask.key())))
                .withCauseInstanceOf(SQLException.class);
        server.restart();
        for (int i = 0; i < 8; i++) {
            assertThat(Ask.take(store, Ask.key()).fence()).isGreaterThan(lease.fence());
        }
        Threads.eventually("renewed", () -> isRenewed(lease));
    }

    private boolean isRenewed(LeaseRef lease) {
        try {
            return store.renew(List.of(lease)).size() == 1;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("G4 does not cost a lease if it is back before the deadline")
    void keptOver(Kind kind) {
        start(kind);
        try (Leases leases = Leases.on(store)) {
            Lease lease = leases.tryAcquire(Ask.key(), LeaseOptions.noWait().withTtl(Duration.ofSeconds(20)))
                    .orElseThrow();
            server.kill();
            server.restart();
            Threads.eventually("renewed", () -> isRenewed(lease.ref()));
            assertThat(lease.isValid()).isTrue();
            lease.ensure();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("R09, E03 costs the lease at its deadline and not later, and clients go on by themselves")
    void hangs(Kind kind) throws Exception {
        start(kind);
        Key key = Ask.key();
        try (Leases leases = Leases.on(store)) {
            Lease lease = leases.tryAcquire(key, LeaseOptions.noWait().withTtl(Duration.ofMillis(1_500)))
                    .orElseThrow();
            server.pause();
            long paused = System.nanoTime();
            Threads.eventually("lost", () -> lease.state() == LeaseState.LOST);
            assertThat(Duration.ofNanos(System.nanoTime() - paused)).isLessThan(Duration.ofMillis(2_500));
            Threads.Running<Acquisition> again =
                    Threads.start(() -> leases.acquire(key, LeaseOptions.waitFor(Duration.ofSeconds(15))));
            server.resume();
            Lease next = again.get().orElseThrow();
            assertThat(next.fence()).isGreaterThanOrEqualTo(lease.fence());
            assertThat(next.isValid()).isTrue();
        }
    }
}
