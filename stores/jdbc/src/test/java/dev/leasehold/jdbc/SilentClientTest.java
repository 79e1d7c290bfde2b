package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
@DisplayName("A client that goes silent inside a transaction of ours")
class SilentClientTest {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, false", "POSTGRESQL, true", "MARIADB, false"})
    @DisplayName("loses its locks after about the call limit, also behind a pooler")
    void losesItsLocks(Kind kind, boolean isPooled) throws Exception {
        Dialect dialect = kind == Kind.POSTGRESQL ? Dialect.POSTGRESQL : Dialect.MYSQL;
        try (TestDatabase database = kind.fresh(directory);
                JdbcLeaseStore store = JdbcLeaseStore.of(database.source());
                Lane lane =
                        Objects.requireNonNull(new LaneOpener(database.source(), dialect, LIMIT, isPooled, false, null)
                                .open(LIMIT, () -> false, late -> {}))) {
            LeaseRef lease = Ask.take(store, Ask.of(Ask.key(), Duration.ofMillis(1)));
            CountDownLatch locked = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            Threads.Running<Boolean> silent = Threads.start(() -> lane.atomically(within -> {
                within.execute("UPDATE leasehold_lease SET waited = waited");
                locked.countDown();
                return awaits(end);
            }));
            try {
                locked.await();
                long start = System.nanoTime();
                Threads.eventually("another caller has the lease", () -> isGranted(store, lease));
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LIMIT.multipliedBy(4));
            } finally {
                end.countDown();
                Threads.eventually("the silent client has ended", silent.task()::isDone);
            }
        }
    }

    private static boolean isGranted(JdbcLeaseStore store, LeaseRef lease) {
        try {
            return store.acquire(Ask.of(lease.key())) instanceof AcquireResult.Granted;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static boolean awaits(CountDownLatch end) throws SQLException {
        try {
            end.await();
            return true;
        } catch (InterruptedException e) {
            throw new SQLException(e);
        }
    }
}
