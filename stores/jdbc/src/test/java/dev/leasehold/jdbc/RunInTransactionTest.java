package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.ResultException;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.Work;
import dev.leasehold.store.Key;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.StaleLeaseException;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@DisplayName("A run in the user's transaction")
class RunInTransactionTest extends EffectCase {
    private static final RunSpec<String> SPEC = RunSpec.of(Codec.utf8());

    /** Where a framework keeps the connection of the transaction that a thread is in. */
    private static final InheritableThreadLocal<Connection> CURRENT = new InheritableThreadLocal<>();

    private final Key key = Ask.key();
    private Leases leases;

    private Once<String> once(Kind kind) throws SQLException {
        open(kind);
        leases = Leases.builder(store).withoutLog().build();
        return Once.on(leases, key, SPEC);
    }

    @AfterEach
    void close() {
        CURRENT.remove();
        leases.close();
    }

    private Work<String> writing(DataSource source, String answer) {
        return store.inTransaction(source, (connection, run) -> {
            write(connection, run.fence());
            return answer;
        });
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("O16 has its effect and its answer, once")
    void commits(Kind kind) throws Exception {
        Once<String> once = once(kind);
        assertThat(once.run(writing(database.source(), "done"))).isInstanceOf(Outcome.Ran.class);
        Outcome<String> again = once.run(writing(database.source(), "again"));
        assertThat(again).isInstanceOf(Outcome.Replayed.class);
        assertThat(again.toOptional()).contains("done");
        assertThat(effects()).isEqualTo("1");
        assertThat(leases.tryAcquire(Ask.key()).toOptional()).isPresent();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("O14, O16 has neither if it fails or its answer cannot be kept, and the next caller runs")
    void rollsBack(Kind kind) throws Exception {
        Once<String> once = once(kind);
        IOException error = new IOException("after the effect");
        Work<String> failing = store.inTransaction(database.source(), (connection, run) -> {
            Sessions.execute(connection, "INSERT INTO effect VALUES (1)");
            throw error;
        });
        assertThatThrownBy(() -> once.run(failing)).isSameAs(error);
        Once<String> small = Once.on(leases, key, SPEC.withLargestResult(3));
        assertThatThrownBy(() -> small.run(writing(database.source(), "long"))).isInstanceOf(ResultException.class);
        assertThat(effects()).isEqualTo("0");
        assertThat(once.run(writing(database.source(), "done")))
                .isInstanceOfSatisfying(
                        Outcome.Ran.class, ran -> assertThat(ran.attempt()).isEqualTo(3));
        assertThat(effects()).isEqualTo("1");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("O08, O16 has ended well if the reply to its commit was lost")
    void commitWithoutReply(Kind kind) throws Exception {
        Once<String> once = once(kind);
        Outcome<String> outcome = once.run(writing(losingCommits(), "done"));
        assertThat(outcome).isInstanceOf(Outcome.Ran.class);
        assertThat(outcome.toOptional()).contains("done");
        assertThat(once.run(run -> "again").toOptional()).contains("done");
        assertThat(effects()).isEqualTo("1");
    }

    /** Connections whose commits are carried out, and then look as if they had failed. */
    private DataSource losingCommits() {
        return Sessions.source(() -> {
            Connection connection = database.source().getConnection();
            return (Connection) Proxy.newProxyInstance(
                    Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                        try {
                            Object result = method.invoke(connection, arguments);
                            if (method.getName().equals("commit")) {
                                throw new SQLException("The reply was lost.", "08006");
                            }
                            return result;
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        });
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("O09, O16 that was taken over has neither, and leaves its successor's answer alone")
    void takenOver(Kind kind) throws Exception {
        Once<String> once = once(kind);
        Work<String> overtaken = store.inTransaction(database.source(), (connection, run) -> {
            store.release(ReleaseRequest.of(run.ref()));
            once.run(next -> "the successor's");
            Sessions.execute(connection, "INSERT INTO effect VALUES (1)");
            return "late";
        });
        assertThatThrownBy(() -> once.run(overtaken)).isInstanceOf(StaleLeaseException.class);
        assertThat(effects()).isEqualTo("0");
        assertThat(once.run(run -> "again").toOptional()).contains("the successor's");
    }

    /** What a claim by insert in the caller's own transaction would do: fail it, hide the claim, or lose it. */
    @Test
    @DisplayName("O16 Runs that are begun while a transaction of the caller's is open neither harm it nor depend on it")
    void runsDoNotJoin() throws Exception {
        Once<String> once = once(Kind.POSTGRESQL);
        once.run(run -> "done");
        Key other = Ask.key();
        try (Connection connection = Sessions.begin(database.source())) {
            Sessions.execute(connection, "INSERT INTO effect VALUES (1)");
            assertThat(once.run(run -> "again").toOptional()).contains("done");
            Outcome<String> inside = Once.on(leases, other, SPEC).run(run -> {
                try (Leases stranger = Leases.builder(store).withoutLog().build()) {
                    assertThat(Once.on(stranger, other, SPEC).run(late -> "no")).isInstanceOf(Outcome.InProgress.class);
                }
                return "inside";
            });
            assertThat(inside).isInstanceOf(Outcome.Ran.class);
            assertThat(Sessions.ask(connection, "SELECT count(*) FROM effect")).isEqualTo("1");
            connection.rollback();
        }
        assertThat(Once.on(leases, other, SPEC).run(run -> "again").toOptional())
                .contains("inside");
    }

    /**
     * As a framework binds connections: a thread in a transaction, and every thread that inherits from it, gets the
     * connection of that, at once or when the connection is first used.
     */
    private DataSource bound(Connection callers, boolean isLazy) {
        CURRENT.set(callers);
        Sessions.Opening opening =
                () -> CURRENT.get() == null ? database.source().getConnection() : Unclosed.of(CURRENT.get());
        return Sessions.source(() -> isLazy ? Lazily.open(opening) : opening.open());
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, false", "POSTGRESQL, true", "MARIADB, false", "MARIADB, true", "H2, false", "H2, true"})
    @DisplayName(
            "O16 has a transaction of its own, although the source gives the calling thread the caller's connection")
    void doesNotJoin(Kind kind, boolean isLazy) throws Exception {
        Once<String> once = once(kind);
        try (Connection callers = Sessions.begin(database.source())) {
            DataSource source = bound(callers, isLazy);
            Sessions.execute(callers, "INSERT INTO effect VALUES (1)");
            assertThat(once.run(writing(source, "done"))).isInstanceOf(Outcome.Ran.class);
            assertThat(effects())
                    .as("the effect of the run, without the caller's")
                    .isEqualTo("1");
            IOException error = new IOException("after the effect");
            Once<String> failing = Once.on(leases, Ask.key(), SPEC);
            assertThatThrownBy(() -> failing.run(store.inTransaction(source, (connection, run) -> {
                        write(connection, run.fence());
                        throw error;
                    })))
                    .isSameAs(error);
            callers.commit();
        }
        assertThat(effects()).as("with the caller's").isEqualTo("2");
    }

    @Test
    @DisplayName("gives its connection back if the driver fails with an error before the work begins")
    void errorBeforeTheWork() throws Exception {
        Once<String> once = once(Kind.H2);
        Error error = new NoClassDefFoundError("of the driver");
        try (Connection lent = database.source().getConnection()) {
            DataSource source = Sessions.source(() -> (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                        if (method.getName().equals("getMetaData")) {
                            throw error;
                        }
                        return method.invoke(lent, arguments);
                    }));
            assertThatThrownBy(() -> once.run(writing(source, "done"))).isSameAs(error);
            assertThat(lent.isClosed()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("O17 whose lease is renewed meanwhile is one run, though its record is locked")
    void outlivesItsTtl(Kind kind) throws Exception {
        Once<String> plain = once(kind);
        Once<String> brief = Once.on(leases, key, SPEC.withLeaseTtl(Duration.ofSeconds(1)));
        Work<String> slow = store.inTransaction(database.source(), (connection, run) -> {
            for (int i = 0; i < 5; i++) {
                assertThat(plain.run(other -> "no")).isInstanceOf(Outcome.InProgress.class);
                LockSupport.parkNanos(400_000_000);
            }
            Sessions.execute(connection, "INSERT INTO effect VALUES (1)");
            return "done";
        });
        assertThat(brief.run(slow)).isInstanceOf(Outcome.Ran.class);
        assertThat(effects()).isEqualTo("1");
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, " + Connection.TRANSACTION_REPEATABLE_READ,
        "POSTGRESQL, " + Connection.TRANSACTION_SERIALIZABLE,
        "MARIADB, " + Connection.TRANSACTION_REPEATABLE_READ,
        "MARIADB, " + Connection.TRANSACTION_SERIALIZABLE,
        "H2, " + Connection.TRANSACTION_REPEATABLE_READ,
        "H2, " + Connection.TRANSACTION_SERIALIZABLE,
        "SQLITE, " + Connection.TRANSACTION_SERIALIZABLE
    })
    @DisplayName("O16 on a pool with a strict isolation survives a renewal, and the connection goes back as it came")
    void strictIsolation(Kind kind, int isolation) throws Exception {
        Once<String> once = once(kind);
        for (boolean commitsByItself : new boolean[] {true, false}) {
            try (Connection connection = database.source().getConnection()) {
                connection.setTransactionIsolation(isolation);
                connection.setAutoCommit(commitsByItself);
                DataSource pool = Sessions.source(() -> Unclosed.of(connection));
                Once<String> fresh = Once.on(leases, Ask.key(), SPEC);
                Outcome<String> outcome = fresh.run(store.inTransaction(pool, (own, run) -> {
                    if (kind != Kind.SQLITE) {
                        // On SQLite, the renewal would wait for the end of the transaction.
                        assertThat(Sessions.ask(own, "SELECT count(*) FROM leasehold_lease"))
                                .isNotEqualTo("0");
                    }
                    assertThat(store.renew(List.of(run.ref()))).hasSize(1);
                    write(own, run.fence());
                    return "done";
                }));
                assertThat(outcome).isInstanceOf(Outcome.Ran.class);
                assertAsItCame(connection, isolation, commitsByItself);
                IOException error = new IOException("after the effect");
                assertThatThrownBy(() -> once.run(store.inTransaction(pool, (own, run) -> {
                            write(own, run.fence());
                            throw error;
                        })))
                        .isSameAs(error);
                assertAsItCame(connection, isolation, commitsByItself);
            }
        }
        assertThat(effects()).isEqualTo("2");
    }

    @Test
    @DisplayName("O16 on SQLite that reads before it writes survives a renewal, which waits for its end")
    void readsFirst() throws Exception {
        Once<String> once = once(Kind.SQLITE);
        AtomicReference<Threads.Running<List<Renewal>>> renewal = new AtomicReference<>();
        Outcome<String> outcome = once.run(store.inTransaction(database.source(), (connection, run) -> {
            assertThat(Sessions.ask(connection, "SELECT count(*) FROM effect")).isEqualTo("0");
            renewal.set(Threads.start(() -> store.renew(List.of(run.ref()))));
            Threads.pause(Duration.ofMillis(200));
            assertThat(renewal.get().task().isDone()).as("renewed meanwhile").isFalse();
            write(connection, run.fence());
            return "done";
        }));
        assertThat(outcome).isInstanceOf(Outcome.Ran.class);
        assertThat(effects()).isEqualTo("1");
        renewal.get().get();
    }

    @Test
    @DisplayName("O16 on SQLite holds up no renewal before its first statement")
    void renewedBeforeItsFirstStatement() throws Exception {
        Once<String> once = once(Kind.SQLITE);
        Outcome<String> outcome = once.run(store.inTransaction(database.source(), (connection, run) -> {
            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(store.renew(List.of(run.ref()))).hasSize(1);
            assertThat(Sessions.ask(connection, "SELECT count(*) FROM effect")).isEqualTo("0");
            write(connection, run.fence());
            return "done";
        }));
        assertThat(outcome).isInstanceOf(Outcome.Ran.class);
        assertThat(effects()).isEqualTo("1");
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, " + Connection.TRANSACTION_READ_COMMITTED + ", " + Connection.TRANSACTION_SERIALIZABLE,
        "MARIADB, " + Connection.TRANSACTION_READ_COMMITTED + ", " + Connection.TRANSACTION_SERIALIZABLE,
        "H2, " + Connection.TRANSACTION_READ_COMMITTED + ", " + Connection.TRANSACTION_SERIALIZABLE,
        "SQLITE, " + Connection.TRANSACTION_SERIALIZABLE + ", " + Connection.TRANSACTION_READ_UNCOMMITTED
    })
    @DisplayName("O16 that sets another isolation itself gives the connection back as it came")
    void ownIsolation(Kind kind, int usual, int own) throws Exception {
        Once<String> once = once(kind);
        try (Connection connection = database.source().getConnection()) {
            connection.setTransactionIsolation(usual);
            DataSource pool = Sessions.source(() -> Unclosed.of(connection));
            Outcome<String> outcome = once.run(store.inTransaction(pool, (within, run) -> {
                within.setTransactionIsolation(own);
                store.fence(within, run.ref());
                write(within, run.fence());
                return "done";
            }));
            assertThat(outcome).isInstanceOf(Outcome.Ran.class);
            assertAsItCame(connection, usual, true);
        }
    }

    private static void assertAsItCame(Connection connection, int isolation, boolean commitsByItself)
            throws SQLException {
        assertThat(connection.getTransactionIsolation()).isEqualTo(isolation);
        assertThat(connection.getAutoCommit()).isEqualTo(commitsByItself);
        assertThat(connection.isClosed()).isFalse();
    }
}
