package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.LogLines;
import dev.leasehold.tck.Race;
import dev.leasehold.tck.Threads;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Behind a pooler such as pgbouncer")
class PoolerTest {
    private TestDatabase database;
    private FakePooler pooler;
    private DataSource pooled;

    @BeforeEach
    void open() throws IOException {
        database = TestDatabase.postgres(18);
        pooler = FakePooler.to(Through.target(database.url()));
        pooled = database.source(Through.port(database.url(), pooler.port()) + "?sslmode=disable&gssEncMode=disable");
    }

    @AfterEach
    void close() {
        pooler.close();
        database.close();
    }

    @Test
    @DisplayName("a store changes no settings of the session and listens to nothing")
    void leavesTheSessionAlone() {
        try (JdbcLeaseStore store = JdbcLeaseStore.of(pooled)) {
            Ask.take(store, Ask.key());
            assertThat(store.onWakeUp(wakeUp -> {})).isEmpty();
        }
        assertThat(pooler.said())
                .contains("leasehold_lease")
                .doesNotContain("LISTEN", "statement_timeout", "lock_timeout", "plan_cache_mode", "ISOLATION");
    }

    @Test
    @DisplayName("a store says once in the log that nobody is woken")
    void saysSo() {
        try (LogLines log = LogLines.of("dev.leasehold.jdbc");
                JdbcLeaseStore store = JdbcLeaseStore.of(pooled)) {
            for (int i = 0; i < 3; i++) {
                Ask.take(store, Ask.key());
            }
            assertThat(log.lines()).singleElement().asString().contains("pgbouncer", "poll");
        }
    }

    @Test
    @Tag("slow")
    @DisplayName("W05 whoever waits in line gets the lease by polling")
    void polls() throws Exception {
        try (JdbcLeaseStore store = JdbcLeaseStore.of(pooled);
                Leases ann = Leases.on(store);
                Leases bob = Leases.on(store)) {
            Lease lease = ann.tryAcquire(Ask.key()).orElseThrow();
            Threads.Running<Acquisition> waiting =
                    Threads.start(() -> bob.acquire(lease.key(), LeaseOptions.waitFor(Duration.ofSeconds(15))));
            Threads.eventually(
                    "it stands in line",
                    () -> !store.find(lease.key()).orElseThrow().record().line().isEmpty());
            lease.release();
            assertThat(waiting.get().orElseThrow().isValid()).isTrue();
        }
    }

    @Test
    @Tag("slow")
    @DisplayName("A15 the server's strict default isolation costs nobody an error")
    void strictIsolation() throws Exception {
        String name = Sessions.ask(database.source(), "SELECT current_database()");
        Sessions.execute(
                database.source(), "ALTER DATABASE " + name + " SET default_transaction_isolation = 'serializable'");
        try (JdbcLeaseStore store = JdbcLeaseStore.of(pooled)) {
            for (int i = 0; i < 4; i++) {
                Key key = Ask.key();
                List<AcquireResult> results = Race.of(16, racer -> () -> store.acquire(Ask.of(key)));
                assertThat(results)
                        .filteredOn(AcquireResult.Granted.class::isInstance)
                        .hasSize(1);
            }
        }
    }

    @Test
    @DisplayName("is told from a direct connection")
    void direct() throws SQLException {
        try (JdbcLeaseStore store = JdbcLeaseStore.of(database.source())) {
            assertThat(store.onWakeUp(wakeUp -> {})).isPresent();
        }
    }
}
