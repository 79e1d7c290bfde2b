package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Race;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A store on the user's own pool")
class PoolTest {
    private static final int RACERS = 64;

    @TempDir
    private Path directory;

    private final List<JdbcLeaseStore> stores = new ArrayList<>();
    private TestDatabase database;

    private JdbcLeaseStore open(JdbcLeaseStoreBuilder builder) {
        JdbcLeaseStore store = builder.open();
        stores.add(store);
        return store;
    }

    @AfterEach
    void close() {
        stores.forEach(JdbcLeaseStore::close);
        database.close();
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, " + Connection.TRANSACTION_REPEATABLE_READ,
        "POSTGRESQL, " + Connection.TRANSACTION_SERIALIZABLE,
        "MARIADB, " + Connection.TRANSACTION_REPEATABLE_READ,
        "MARIADB, " + Connection.TRANSACTION_SERIALIZABLE,
        "H2, " + Connection.TRANSACTION_SERIALIZABLE
    })
    @DisplayName("A15 that defaults to a strict isolation, without autocommit, grants to one of 64 and fails none")
    void isolation(Kind kind, int isolation) throws Exception {
        database = kind.fresh(directory);
        DataSource strict = Sessions.source(() -> {
            Connection connection = Sessions.begin(database.source());
            connection.setTransactionIsolation(isolation);
            return connection;
        });
        List<JdbcLeaseStore> two = List.of(open(JdbcLeaseStore.builder(strict)), open(JdbcLeaseStore.builder(strict)));
        Key fresh = Ask.key();
        assertThat(grants(two, fresh)).as("A03, on a fresh key").isEqualTo(1);
        Key expired = Ask.key();
        Ask.take(two.get(0), Ask.of(expired, Duration.ofNanos(1_000)));
        Threads.pause(Duration.ofMillis(2));
        assertThat(grants(two, expired)).as("A04, on an expired key").isEqualTo(1);
    }

    private static long grants(List<JdbcLeaseStore> stores, Key key) throws Exception {
        return Race.of(RACERS, racer -> () -> stores.get(racer % stores.size()).acquire(Ask.of(key))).stream()
                .filter(AcquireResult.Granted.class::isInstance)
                .count();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A14 keeps the lease of a caller whose transaction rolls back")
    void rollback(Kind kind) throws SQLException {
        database = kind.fresh(directory);
        JdbcLeaseStore store = open(JdbcLeaseStore.builder(database.source()));
        Sessions.execute(database.source(), "CREATE TABLE effect (n int)");
        LeaseRef lease;
        try (Connection callers = Sessions.begin(database.source())) {
            Sessions.ask(callers, "SELECT count(*) FROM effect");
            lease = Ask.take(store, Ask.key());
            Sessions.ask(callers, "SELECT count(*) FROM effect");
            callers.rollback();
        }
        assertThat(store.renew(List.of(lease))).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
    @DisplayName("A14 does not join a transaction that a framework has bound to the calling thread")
    void boundToTheThread(Kind kind) throws SQLException {
        database = kind.fresh(directory);
        Sessions.execute(database.source(), "CREATE TABLE effect (n int)");
        Thread caller = Thread.currentThread();
        LeaseRef lease;
        JdbcLeaseStore store;
        try (Connection bound = Sessions.begin(database.source())) {
            store = open(JdbcLeaseStore.builder(Sessions.source(() -> Thread.currentThread() == caller
                    ? Unclosed.of(bound)
                    : database.source().getConnection())));
            Sessions.execute(bound, "INSERT INTO effect VALUES (1)");
            lease = Ask.take(store, Ask.key());
            bound.rollback();
        }
        assertThat(store.renew(List.of(lease))).hasSize(1);
        assertThat(Sessions.ask(database.source(), "SELECT count(*) FROM effect"))
                .isEqualTo("0");
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
    @DisplayName("does not commit a transaction that a framework has bound to the thread which creates the tables")
    void createdInsideATransaction(Kind kind) throws SQLException {
        database = kind.fresh(directory);
        Sessions.execute(database.source(), "CREATE TABLE effect (n int)");
        Thread caller = Thread.currentThread();
        try (Connection bound = Sessions.begin(database.source())) {
            Sessions.execute(bound, "INSERT INTO effect VALUES (1)");
            JdbcLeaseStore.createSchema(Sessions.source(() -> Thread.currentThread() == caller
                    ? Unclosed.of(bound)
                    : database.source().getConnection()));
            bound.rollback();
        }
        assertThat(Sessions.ask(database.source(), "SELECT count(*) FROM effect"))
                .isEqualTo("0");
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("R13 that is exhausted still renews, though all other connections of the store's are stuck")
    void exhausted(Kind kind) throws Exception {
        database = kind.fresh(directory);
        SmallPool pool = new SmallPool(database.source(), 8);
        JdbcLeaseStore store = open(JdbcLeaseStore.builder(pool.source()).connections(2));
        LeaseRef lease = Ask.take(store, Ask.key());
        LeaseRef expired = Ask.take(store, Ask.of(Ask.key(), Duration.ofNanos(1_000)));
        pool.exhaust();
        try (Connection stranger = Sessions.lockRow(database.source(), expired.key())) {
            List<Threads.Running<?>> stuck = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                stuck.add(Threads.start(() -> store.release(ReleaseRequest.of(expired))));
            }
            Threads.pause(Duration.ofMillis(200));
            assertThat(stuck).noneMatch(one -> one.task().isDone());
            long start = System.nanoTime();
            assertThat(store.renew(List.of(lease))).hasSize(1);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
            stranger.rollback();
        }
    }
}
