package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Fingerprint;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RunSpec;
import dev.leasehold.servers.Config;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("What the server counts")
class StatementCountTest {
    private static final int RUNS = 20;
    private static final RunSpec<String> SPEC = RunSpec.of(Codec.utf8());
    private static final RunSpec<String> WAITING = SPEC.waitingFor(Duration.ofSeconds(20));
    private static final Config LOGGING =
            Config.relaxed().with("logging_collector", "on").with("log_statement", "all");

    @Test
    @DisplayName("O01, O02 on PostgreSQL is two statements for a run, and one for a replay")
    void postgres() throws Exception {
        try (PostgresServer server = PostgresServer.start(18, LOGGING);
                TestDatabase database = TestDatabase.on(server)) {
            assertTwoForARunAndOneForAReplay(database, ServerCount.POSTGRESQL);
        }
    }

    @Test
    @DisplayName("O01, O02 on MariaDB is two statements for a run, and one for a replay")
    void mariaDb() throws Exception {
        try (TestDatabase database = TestDatabase.mariaDb()) {
            assertTwoForARunAndOneForAReplay(database, ServerCount.MARIADB);
        }
    }

    @Test
    @DisplayName(
            "A01 on MariaDB is two statements for a lock whose record this process never saw, once it has met another")
    void recordsOfOthers() throws Exception {
        List<Key> keys = Stream.generate(Ask::key).limit(RUNS).toList();
        try (TestDatabase database = TestDatabase.mariaDb();
                JdbcLeaseStore before = JdbcLeaseStore.of(database.source());
                JdbcLeaseStore store = JdbcLeaseStore.of(database.source());
                Connection own = database.source().getConnection()) {
            keys.forEach(key -> takeAndGiveBack(before, key));
            takeAndGiveBack(store, keys.get(0));

            assertThat(ServerCount.MARIADB.during(
                            own, () -> keys.subList(1, RUNS).forEach(key -> takeAndGiveBack(store, key))))
                    .isEqualTo(2 * (RUNS - 1));
        }
    }

    @Test
    @DisplayName("a hand-over on PostgreSQL is two statements, which read no more of the line than stands in it")
    void handOvers() throws Exception {
        int turns = 1_000;
        try (PostgresServer server = PostgresServer.start(18, LOGGING);
                TestDatabase database = TestDatabase.on(server);
                Connection own = database.source().getConnection()) {
            long statements;
            try (JdbcLeaseStore store = JdbcLeaseStore.of(database.source())) {
                statements = ServerCount.POSTGRESQL.during(own, () -> handOver(store, turns));
            }

            assertThat(statements).isBetween(2L * turns, 2L * turns + 50);
            // The counts of a connection are complete once it is closed.
            Threads.eventually("counted", () -> isIdle(own));
            assertThat(read(own) / turns)
                    .as("index entries that a turn reads, those of places that are gone included")
                    .isLessThan(20);
        }
    }

    private static void handOver(JdbcLeaseStore store, int turns) {
        Key key = Ask.key();
        AtomicReference<LeaseRef> handed = new AtomicReference<>();
        Subscription subscription = store.onWakeUp(wakeUp -> handed.set(((WakeUp.HandedOver) wakeUp).lease()))
                .orElseThrow();
        LeaseRef holder = Ask.take(store, key);
        for (int i = 0; i < turns; i++) {
            store.acquire(Ask.of(key).inLineFor(Duration.ofSeconds(30)));
            store.release(ReleaseRequest.of(holder));
            holder = handed.get();
        }
        store.release(ReleaseRequest.of(holder));
        subscription.close();
    }

    private static boolean isIdle(Connection own) {
        return number(own, "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE '%JDBC%'") <= 1;
    }

    private static long read(Connection own) {
        return number(own, "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'leasehold_line'");
    }

    private static long number(Connection own, String query) {
        try {
            return Long.parseLong(Sessions.ask(own, query));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static void takeAndGiveBack(JdbcLeaseStore store, Key key) {
        assertThat(store.release(ReleaseRequest.of(Ask.take(store, key)))).isEqualTo(ReleaseResult.RELEASED);
    }

    private static void assertTwoForARunAndOneForAReplay(TestDatabase database, ServerCount server) throws Exception {
        try (JdbcLeaseStore store = JdbcLeaseStore.of(database.source());
                Leases leases = Leases.on(store);
                Connection own = database.source().getConnection()) {
            // Opens connections, listens and prepares statements, which happens once.
            ask(leases, List.of(Ask.key()), WAITING, Outcome.Ran.class);
            Threads.eventually("listening", () -> server.isListening(own));
            List<Key> keys = Stream.generate(Ask::key).limit(RUNS).toList();

            assertThat(server.during(own, () -> ask(leases, keys, SPEC, Outcome.Ran.class)))
                    .isEqualTo(2 * RUNS);
            assertThat(server.during(own, () -> ask(leases, keys, SPEC, Outcome.Replayed.class)))
                    .isEqualTo(RUNS);
            assertThat(server.during(own, () -> ask(leases, keys, WAITING, Outcome.Replayed.class)))
                    .as("by callers who would wait")
                    .isEqualTo(RUNS);
        }
    }

    private static void ask(Leases leases, List<Key> keys, RunSpec<String> spec, Class<?> outcome) throws Exception {
        for (Key key : keys) {
            Once<String> once = Once.on(leases, key, spec).of(Fingerprint.of(key.value()));
            assertThat(once.run(run -> "done")).isInstanceOf(outcome);
        }
    }
}
