package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.WakeUp;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("On PostgreSQL, one store object tells another")
class HandOverTest {
    private static final String LISTENING = "FROM pg_stat_activity WHERE datname = current_database()"
            + " AND pid <> pg_backend_pid() AND query LIKE 'LISTEN leasehold_%'";

    private final BlockingQueue<WakeUp> told = new LinkedBlockingQueue<>();
    private TestDatabase database;
    private JdbcLeaseStore holder;
    private JdbcLeaseStore waiter;

    @BeforeEach
    void open() {
        database = TestDatabase.postgres(18);
        holder = JdbcLeaseStore.of(database.source());
        waiter = JdbcLeaseStore.of(database.source());
        assertThat(waiter.onWakeUp(told::add)).isPresent();
    }

    @AfterEach
    void close() {
        holder.close();
        waiter.close();
        database.close();
    }

    private AcquireRequest standInLine(Key key) {
        AcquireRequest request = Ask.of(key).inLineFor(Ask.LONG);
        waiter.acquire(request);
        return request;
    }

    private Optional<WakeUp> next() throws InterruptedException {
        return Optional.ofNullable(told.poll(10, TimeUnit.SECONDS));
    }

    private void killListeners() throws SQLException {
        Sessions.ask(database.source(), "SELECT count(pg_terminate_backend(pid)) " + LISTENING);
    }

    private boolean areListening(int stores) {
        try {
            return Sessions.ask(database.source(), "SELECT count(*) " + LISTENING)
                    .equals(Integer.toString(stores));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("that a lease was handed over to it, whatever the key is")
    void handOver() throws InterruptedException {
        Key key = Key.of(" it's \"a\" key; -- 食事 " + Ask.key());
        LeaseRef lease = Ask.take(holder, key);
        AcquireRequest request = standInLine(key);
        holder.release(ReleaseRequest.of(lease));
        assertThat(next()).get().isInstanceOfSatisfying(WakeUp.HandedOver.class, wakeUp -> {
            assertThat(wakeUp.nonce()).isEqualTo(request.nonce());
            assertThat(wakeUp.key()).isEqualTo(key);
            assertThat(wakeUp.lease().fence()).isGreaterThan(lease.fence());
            assertThat(wakeUp.waited()).isPositive();
        });
    }

    @Test
    @DisplayName("that it should look again, once a run is settled")
    void settled() throws InterruptedException {
        LeaseRef lease = Ask.take(holder, Ask.key());
        AcquireRequest request = standInLine(lease.key());
        holder.settle(SettleRequest.of(lease, Settlement.done(null, Ask.LONG)));
        assertThat(next()).contains(new WakeUp.LookAgain(lease.key(), request.nonce()));
    }

    @Test
    @DisplayName("and needs a connection for that only once somebody stands in line")
    void listensWhenNeeded() throws Exception {
        try (Leases ann = Leases.on(holder)) {
            Lease lease = ann.tryAcquire(Ask.key()).orElseThrow();
            assertThat(areListening(1)).as("the waiter alone").isTrue();
            ann.acquire(lease.key(), LeaseOptions.waitFor(Duration.ofMillis(1)));
            assertThat(areListening(2)).isTrue();
        }
    }

    @Test
    @Tag("slow")
    @DisplayName("again after its listening connection was killed")
    void listensAgain() throws Exception {
        Threads.eventually("it listens", () -> areListening(1));
        killListeners();
        Threads.eventually("nobody listens", () -> areListening(0));
        Threads.eventually("it listens again", () -> areListening(1));
        LeaseRef lease = Ask.take(holder, Ask.key());
        AcquireRequest request = standInLine(lease.key());
        holder.release(ReleaseRequest.of(lease));
        assertThat(next()).map(WakeUp::nonce).contains(request.nonce());
    }

    @Test
    @Tag("slow")
    @DisplayName("W05 nothing while its listening connection is dead, and the caller finds its lease by polling")
    void polling() throws Exception {
        try (Leases ann = Leases.on(holder);
                Leases bob = Leases.on(waiter)) {
            Lease lease = ann.tryAcquire(Ask.key()).orElseThrow();
            Threads.Running<Acquisition> waiting =
                    Threads.start(() -> bob.acquire(lease.key(), LeaseOptions.waitFor(Duration.ofSeconds(15))));
            Threads.eventually(
                    "it stands in line",
                    () -> !holder.find(lease.key())
                            .orElseThrow()
                            .record()
                            .line()
                            .isEmpty());
            killListeners();
            lease.release();
            assertThat(waiting.get().orElseThrow().isValid()).isTrue();
        }
    }
}
