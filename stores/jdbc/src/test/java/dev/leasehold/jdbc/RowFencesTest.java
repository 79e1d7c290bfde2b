package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.StaleLeaseException;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass(name = "{0}")
@EnumSource(Kind.class)
@DisplayName("The fences of rows")
class RowFencesTest {
    private static final Duration TTL = Duration.ofMinutes(5);
    private static final int TURNS = 60;
    /** Longer than a row that cannot be had is asked for again. */
    private static final Duration LONG_ROUND = Duration.ofMillis(60);

    @TempDir
    private Path directory;

    @Parameter
    private Kind kind;

    private TestDatabase database;
    private RowMoment moment;
    private RowLeaseStore slow;
    private RowLeaseStore quick;
    private UserTable user;

    private void open(RowTables tables) {
        database = kind.fresh(directory);
        moment = new RowMoment(database.source());
        user = new UserTable(database.source(), tables.table());
        tables.create(user, kind);
        slow = JdbcLeaseStore.builder(moment).onRows(tables.mapping());
        quick = JdbcLeaseStore.builder(database.source()).onRows(tables.mapping());
    }

    @AfterEach
    void close() {
        slow.close();
        quick.close();
        user.close();
        database.close();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("F01 grow although the row was taken and freed between the look at it and the grant")
    void takenInBetween(RowTables tables) {
        open(tables);
        boolean isOneStatement = kind == Kind.POSTGRESQL && !tables.makesRows();
        List<Fence> earlier = new ArrayList<>();
        moment.before(isOneStatement ? "WITH" : tables.makesRows() ? "INSERT" : "UPDATE", () -> {
            LeaseRef lease = take(quick, RowTables.FIRST, "quick", TTL);
            earlier.add(lease.fence());
            quick.release(ReleaseRequest.of(lease));
            Threads.pause(LONG_ROUND);
        });
        LeaseRef later = take(slow, RowTables.FIRST, "slow", TTL);
        assertThat(moment.hasPassed()).isTrue();
        assertThat(later.fence()).isGreaterThan(earlier.get(0));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("F01 grow with every turn of two store objects that know nothing of each other")
    void turns(RowTables tables) {
        open(tables);
        List<Fence> fences = new ArrayList<>();
        for (int turn = 0; turn < TURNS; turn++) {
            RowLeaseStore store = turn % 3 == 2 ? slow : quick;
            LeaseRef lease = take(store, RowTables.FIRST, "turn " + turn, TTL);
            fences.add(lease.fence());
            store.release(ReleaseRequest.of(lease));
        }
        assertThat(fences).isSorted().doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("F01 A05 grow for a caller that asks again after its lease expired and another had its turn")
    void askedAgainTooLate(RowTables tables) {
        open(tables);
        AcquireRequest request = ask(RowTables.FIRST, "slow", TTL);
        assertThat(slow.acquire(request)).isInstanceOf(AcquireResult.Granted.class);
        user.elapse(tables.mapping(), TTL.plusSeconds(1));
        LeaseRef other = take(quick, RowTables.FIRST, "quick", TTL);
        quick.release(ReleaseRequest.of(other));
        assertThat(slow.acquire(request))
                .isInstanceOfSatisfying(
                        AcquireResult.Granted.class,
                        granted -> assertThat(granted.fence()).isGreaterThan(other.fence()));
    }

    @ParameterizedTest
    @EnumSource
    @Tag("part-of:ANALYSIS-10")
    @DisplayName("protect nothing on a connection that commits by itself, which is refused")
    void autocommit(RowTables tables) throws SQLException {
        open(tables);
        LeaseRef lease = take(quick, RowTables.FIRST, "ann", TTL);
        try (Connection connection = database.source().getConnection()) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> quick.fence(connection, lease))
                    .withMessageContaining("setAutoCommit(false)");
            connection.setAutoCommit(false);
            quick.fence(connection, lease);
            connection.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("part-of:ANALYSIS-10")
    @DisplayName("are never taken for current by a transaction that saw an older state of the row")
    void oldSnapshot(RowTables tables) throws SQLException {
        open(tables);
        LeaseRef lease = take(quick, RowTables.FIRST, "ann", TTL);
        for (int isolation : isolations()) {
            try (Connection connection = database.source().getConnection()) {
                connection.setTransactionIsolation(isolation);
                connection.setAutoCommit(false);
                Sessions.ask(connection, "SELECT count(*) FROM " + tables.table());
                user.elapse(tables.mapping(), TTL.plusSeconds(1));
                LeaseRef next = take(slow, RowTables.FIRST, "bob", TTL);
                assertThatThrownBy(() -> quick.fence(connection, lease))
                        .isInstanceOfAny(StaleLeaseException.class, SQLException.class);
                connection.rollback();
                slow.release(ReleaseRequest.of(next));
            }
        }
    }

    /** SQLite has no other; on MariaDB the stricter one locks what it reads, so that nothing can change. */
    private int[] isolations() {
        return switch (kind) {
            case SQLITE -> new int[] {Connection.TRANSACTION_SERIALIZABLE};
            case MARIADB -> new int[] {Connection.TRANSACTION_REPEATABLE_READ};
            case POSTGRESQL, H2 ->
                new int[] {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE};
        };
    }
}
