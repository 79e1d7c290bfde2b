package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.WakeUp;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import dev.leasehold.tck.proxy.Direction;
import dev.leasehold.tck.proxy.Fault;
import dev.leasehold.tck.proxy.FaultProxy;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("A store on PostgreSQL")
class ListeningTest {
    private final TestDatabase database = TestDatabase.postgres(18);
    private final JdbcLeaseStore store = JdbcLeaseStore.of(database.source());

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    @Test
    @DisplayName("W04 has a connection that listens only once somebody stands in line")
    void onlyWhenNeeded() throws Exception {
        try (Leases leases = Leases.on(store)) {
            Lease lease = leases.tryAcquire(Ask.key()).orElseThrow();
            assertThat(listeners()).isZero();
            CompletableFuture<Acquisition> waiting = leases.acquireAsync(lease.key(), LeaseOptions.waitFor(Ask.LONG));
            Threads.eventually("it listens for the caller in line", () -> listeners() == 1);
            waiting.cancel(true);
        }
    }

    @Test
    @DisplayName("O16, W05 tells callers in line of a settlement in a user's transaction after its commit, not before")
    void toldAfterTheCommit() throws Exception {
        BlockingQueue<WakeUp> told = new LinkedBlockingQueue<>();
        assertThat(store.onWakeUp(told::add)).isPresent();
        LeaseRef lease = Ask.take(store, Ask.key());
        AcquireRequest waiting = Ask.of(lease.key()).inLineFor(Ask.LONG);
        store.acquire(waiting);
        try (Connection connection = Sessions.begin(database.source())) {
            SettleRequest done = SettleRequest.of(lease, Settlement.done(null, Ask.LONG));
            assertThat(store.settle(connection, done)).isEqualTo(SettleResult.SETTLED);
            assertThat(told).isEmpty();
            connection.commit();
        }
        assertThat(told.poll(10, TimeUnit.SECONDS)).isEqualTo(new WakeUp.LookAgain(lease.key(), waiting.nonce()));
    }

    @Test
    @Tag("slow")
    @DisplayName("W05 whose listening connection went dead without a word listens by another, once somebody waits")
    void listensAgain() throws Exception {
        BlockingQueue<WakeUp> told = new LinkedBlockingQueue<>();
        try (FaultProxy proxy = Through.proxy(database);
                LeaseStore waiter = new RemoteDatabase(database).open(proxy.port(), Duration.ofMillis(300))) {
            assertThat(waiter.onWakeUp(told::add)).isPresent();
            LeaseRef lease = Ask.take(store, Ask.key());
            AcquireRequest waiting = Ask.of(lease.key()).inLineFor(Ask.LONG);
            proxy.inject(Fault.Stall.of(Direction.TO_CLIENT));
            Threads.eventually("the dead one is given up", () -> asksInVain(waiter, waiting) && listeners() == 0);
            proxy.heal();
            Threads.eventually("it listens again", () -> listeners() == 1);
            assertThat(asksInVain(waiter, waiting)).isTrue();
            store.release(ReleaseRequest.of(lease));
            assertThat(told.poll(10, TimeUnit.SECONDS))
                    .extracting(WakeUp::nonce)
                    .isEqualTo(waiting.nonce());
        }
    }

    @Test
    @DisplayName("W05 whose first connection for wake-ups is refused tries again by itself, and then tells")
    void firstConnectionRefused() throws Exception {
        BlockingQueue<WakeUp> told = new LinkedBlockingQueue<>();
        AtomicInteger refusals = new AtomicInteger(1);
        try (JdbcLeaseStore waiter = JdbcLeaseStore.of(refusingListeners(refusals))) {
            assertThat(waiter.onWakeUp(told::add)).isEmpty();
            assertThat(refusals).hasValue(0);
            Threads.eventually("it listens", () -> listeners() == 1);
            assertThat(waiter.onWakeUp(told::add)).isPresent();
            LeaseRef lease = Ask.take(store, Ask.key());
            AcquireRequest waiting = Ask.of(lease.key()).inLineFor(Ask.LONG);
            waiter.acquire(waiting);
            store.release(ReleaseRequest.of(lease));
            assertThat(told.poll(10, TimeUnit.SECONDS))
                    .extracting(WakeUp::nonce)
                    .isEqualTo(waiting.nonce());
        }
    }

    /** A pool that has no connection for the thread that listens, so many times. */
    private DataSource refusingListeners(AtomicInteger refusals) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    boolean isListener = Thread.currentThread().getName().equals("leasehold-wake-ups");
                    if (isListener
                            && method.getName().equals("getConnection")
                            && refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                        throw new SQLException("No connection is free.", "08001");
                    }
                    return method.invoke(database.source(), arguments);
                });
    }

    private static boolean asksInVain(LeaseStore store, AcquireRequest request) {
        try {
            return !Ask.isGranted(store.acquire(request));
        } catch (StoreUnavailableException e) {
            return true;
        }
    }

    private int listeners() {
        try {
            return Integer.parseInt(Sessions.ask(
                    database.source(),
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                            + " AND query LIKE 'LISTEN leasehold_%' AND pid <> pg_backend_pid()"));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
