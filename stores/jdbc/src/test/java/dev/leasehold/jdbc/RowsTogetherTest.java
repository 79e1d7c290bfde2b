package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.tck.Race;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass(name = "{0}")
@EnumSource
@DisplayName("Calls for rows that go together while the only connection is busy")
class RowsTogetherTest {
    private static final int THREADS = 8;
    private static final int ROWS = 6;
    private static final int ROUNDS = 60;
    private static final Duration TTL = Duration.ofMinutes(5);

    @TempDir
    private Path directory;

    @Parameter
    private Kind kind;

    private TestDatabase database;
    private RowMoment moment;
    private RowLeaseStore store;

    private void open(RowShape shape, String state) throws SQLException {
        database = kind.fresh(directory);
        Sessions.execute(database.source(), shape.create(RowTables.dialect(kind)));
        for (int i = 0; i < ROWS; i++) {
            Sessions.execute(
                    database.source(),
                    "INSERT INTO jobs (id, title, state) VALUES ('" + i + "', 'title " + i + "', " + state + ")");
        }
        moment = new RowMoment(database.source());
        store = JdbcLeaseStore.builder(moment).connections(1).onRows(shape.mapping());
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    @Test
    @DisplayName("A01 F01 are never granted a row that another holds, and every grant has a larger fence")
    void exclusive() throws Exception {
        open(RowShape.EVERYTHING, "NULL");
        AtomicIntegerArray holders = new AtomicIntegerArray(ROWS);
        long[] fences = new long[ROWS];
        Race.of(THREADS, racer -> () -> {
            for (int round = 0; round < ROUNDS; round++) {
                int row = (racer + round) % ROWS;
                AcquireRequest request = ask("jobs/" + row, "racer " + racer, TTL);
                if (!(store.acquire(request) instanceof AcquireResult.Granted granted)) {
                    continue;
                }
                assertThat(holders.incrementAndGet(row)).isEqualTo(1);
                assertThat(granted.fence().value()).isGreaterThan(fences[row]);
                assertThat(granted.fields()).isNotNull();
                fences[row] = granted.fence().value();
                holders.decrementAndGet(row);
                assertThat(store.release(
                                ReleaseRequest.of(new LeaseRef(request.key(), request.nonce(), granted.fence()))))
                        .isEqualTo(ReleaseResult.RELEASED);
            }
            return true;
        });
        for (int row = 0; row < ROWS; row++) {
            take(store, "jobs/" + row, "last", TTL);
        }
    }

    @Test
    @DisplayName("O02 are each given the answer of their own row")
    void replayed() throws Exception {
        open(RowShape.EVERYTHING, "'READY'");
        Race.of(THREADS, racer -> () -> {
            for (int round = 0; round < ROUNDS; round++) {
                int row = (racer + round) % ROWS;
                assertThat(store.acquire(ask("jobs/" + row, "racer", TTL)))
                        .isInstanceOfSatisfying(
                                AcquireResult.Settled.class,
                                settled -> assertThat(
                                                settled.settlement().fields().text("title"))
                                        .isEqualTo("title " + row));
            }
            return true;
        });
    }

    @Test
    @DisplayName("O02 are one statement for a replay of a row that was seen finished, and see that it is open again")
    void seenFinished() throws SQLException {
        open(RowShape.OWNER_AND_EXPIRY, "'READY'");
        assertThat(store.acquire(ask("jobs/1", "ann", TTL))).isInstanceOf(AcquireResult.Settled.class);
        int before = moment.sent();
        assertThat(store.acquire(ask("jobs/1", "ann", TTL))).isInstanceOf(AcquireResult.Settled.class);
        assertThat(moment.sent() - before).isEqualTo(1);
        Sessions.execute(database.source(), "UPDATE jobs SET state = NULL");
        take(store, "jobs/1", "ann", TTL);
        Sessions.execute(database.source(), "DELETE FROM jobs WHERE id = '2'");
        assertThat(store.acquire(ask("jobs/2", "ann", TTL))).isInstanceOf(AcquireResult.Missing.class);
    }

    @Test
    @DisplayName("L08 do not wait for a row that was free and that a transaction has locked since")
    void lockedSince() throws SQLException {
        open(RowShape.EVERYTHING, "NULL");
        for (String key : List.of("jobs/1", "jobs/2", "jobs/1", "jobs/2")) {
            store.release(ReleaseRequest.of(take(store, key, "ann", TTL)));
        }
        // SQLite locks the whole file, so there is no row to pass by.
        if (kind == Kind.SQLITE) {
            return;
        }
        try (Connection stranger = Sessions.begin(database.source())) {
            Sessions.execute(stranger, "SELECT * FROM jobs WHERE id = '1' FOR UPDATE");
            long start = System.nanoTime();
            assertThat(store.acquire(ask("jobs/1", "bob", TTL))).isInstanceOf(AcquireResult.Held.class);
            take(store, "jobs/2", "bob", TTL);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
            stranger.rollback();
        }
        take(store, "jobs/1", "bob", TTL);
    }
}
