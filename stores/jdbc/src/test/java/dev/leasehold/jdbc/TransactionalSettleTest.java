package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.tck.Ask;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A run that is settled within the caller's transaction")
class TransactionalSettleTest extends EffectCase {
    private static SettleRequest done(LeaseRef lease) {
        return SettleRequest.of(lease, Settlement.done(Payload.of("answer"), Ask.LONG));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("O16 has both effect and answer if that commits")
    void commit(Kind kind) throws SQLException {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.key());
        try (Connection connection = Sessions.begin(database.source())) {
            write(connection, lease.fence());
            assertThat(store.settle(connection, done(lease))).isEqualTo(SettleResult.SETTLED);
            connection.commit();
        }
        assertThat(effects()).isEqualTo("1");
        assertThat(store.acquire(Ask.of(lease.key())))
                .isInstanceOfSatisfying(
                        AcquireResult.Settled.class,
                        settled -> assertThat(settled.settlement().payload()).isEqualTo(Payload.of("answer")));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("O16 has neither effect nor answer if that rolls back, and can be settled again")
    void rollback(Kind kind) throws SQLException {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.key());
        try (Connection connection = Sessions.begin(database.source())) {
            write(connection, lease.fence());
            store.settle(connection, done(lease));
            connection.rollback();
        }
        assertThat(effects()).isEqualTo("0");
        assertThat(store.acquire(Ask.of(lease.key()))).isInstanceOf(AcquireResult.Held.class);
        assertThat(store.settle(done(lease))).isEqualTo(SettleResult.SETTLED);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("O09, O16 is told that it was superseded, and changes nothing of its successor's")
    void superseded(Kind kind) throws SQLException {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.key());
        LeaseRef successor = takeAway(lease);
        try (Connection connection = Sessions.begin(database.source())) {
            assertThat(store.settle(connection, done(lease))).isEqualTo(SettleResult.SUPERSEDED);
            connection.commit();
        }
        assertThat(store.settle(done(successor))).isEqualTo(SettleResult.SETTLED);
    }

    /** MySQL reads an old snapshot here unless told otherwise; PostgreSQL ends such a transaction itself. */
    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "H2"})
    @DisplayName("O09, O16 is told that it was superseded after the transaction had begun, though it reads older data")
    void supersededMeanwhile(Kind kind) throws SQLException {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.key());
        try (Connection connection = Sessions.begin(database.source())) {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            assertThat(Sessions.ask(connection, "SELECT count(*) FROM leasehold_lease"))
                    .isEqualTo("1");
            takeAway(lease);
            assertThat(settleOrFail(connection, lease))
                    .isNotEqualTo(SettleResult.SETTLED.kind().name());
            connection.rollback();
        }
    }

    /** Settling deletes the line. SQLite has the whole database locked. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    @DisplayName("O16 holds up no caller in line that asks again before the transaction ends")
    void callerInLine(Kind kind) throws SQLException {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.key());
        AcquireRequest waiting = Ask.of(lease.key()).inLineFor(Ask.LONG);
        assertThat(store.acquire(waiting)).isInstanceOf(AcquireResult.Held.class);
        // So that the place is due to be refreshed.
        Sessions.execute(
                database.source(),
                "UPDATE leasehold_line SET until = until - "
                        + Micros.of(Ask.LONG.multipliedBy(2).dividedBy(3)));
        try (Connection connection = Sessions.begin(database.source())) {
            assertThat(store.settle(connection, done(lease))).isEqualTo(SettleResult.SETTLED);
            for (int i = 0; i < 2; i++) {
                long start = System.nanoTime();
                assertThat(store.acquire(waiting))
                        .isInstanceOfSatisfying(
                                AcquireResult.Held.class,
                                held -> assertThat(held.inLine()).isFalse());
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
            }
            connection.rollback();
        }
        assertThat(store.acquire(waiting))
                .isInstanceOfSatisfying(
                        AcquireResult.Held.class,
                        held -> assertThat(held.inLine()).isTrue());
    }

    private String settleOrFail(Connection connection, LeaseRef lease) {
        try {
            return store.settle(connection, done(lease)).kind().name();
        } catch (SQLException e) {
            return "failed";
        }
    }

    private LeaseRef takeAway(LeaseRef lease) {
        store.release(ReleaseRequest.of(lease));
        return Ask.take(store, lease.key());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("leaves no statement open on the caller's connection, nor does a fence")
    void statementsAreClosed(Kind kind) throws SQLException {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.key());
        List<PreparedStatement> prepared = new ArrayList<>();
        try (Connection connection = Sessions.begin(database.source())) {
            Connection watched = watching(connection, prepared);
            store.fence(watched, lease);
            store.settle(watched, done(lease));
            assertThat(prepared).isNotEmpty();
            for (PreparedStatement statement : prepared) {
                assertThat(statement.isClosed()).as(statement.toString()).isTrue();
            }
            connection.rollback();
        }
    }

    private static Connection watching(Connection connection, List<PreparedStatement> prepared) {
        return (Connection) Proxy.newProxyInstance(
                TransactionalSettleTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, arguments) -> {
                    try {
                        Object result = method.invoke(connection, arguments);
                        if (result instanceof PreparedStatement statement) {
                            prepared.add(statement);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
