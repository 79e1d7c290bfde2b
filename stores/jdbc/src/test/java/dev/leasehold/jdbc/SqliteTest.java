package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import dev.leasehold.tck.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("On one SQLite file")
class SqliteTest {
    private static final int PROCESSES = 4;
    private static final int ROUNDS = 25;

    @TempDir
    private Path directory;

    /** What another process does: counts up as often as told, each time under the lease, as two steps. */
    static final class Counter {
        private Counter() {}

        public static void main(String[] arguments) throws Exception {
            DataSource source = new UrlDataSource(arguments[0], null, null);
            try (JdbcLeaseStore store = JdbcLeaseStore.of(source)) {
                for (int i = 0; i < ROUNDS; i++) {
                    count(store, source);
                }
            }
            System.out.println("done");
        }

        private static void count(JdbcLeaseStore store, DataSource source) throws SQLException {
            Key key = Key.of("counter");
            while (true) {
                var request = Ask.of(key);
                if (store.acquire(request) instanceof AcquireResult.Granted granted) {
                    int seen = Integer.parseInt(Sessions.ask(source, "SELECT n FROM counter"));
                    Sessions.execute(source, "UPDATE counter SET n = " + (seen + 1));
                    store.release(ReleaseRequest.of(new LeaseRef(key, request.nonce(), granted.fence())));
                    return;
                }
                Threads.pause(Duration.ofMillis(1));
            }
        }
    }

    @Test
    @Tag("slow")
    @DisplayName("A03 several processes hold a lease one at a time")
    void processes() throws IOException, SQLException {
        TestDatabase database = TestDatabase.sqlite(directory, "&busy_timeout=10000");
        Sessions.execute(database.source(), "CREATE TABLE counter (n int)");
        Sessions.execute(database.source(), "INSERT INTO counter VALUES (0)");
        List<ChildJvm> others = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                others.add(ChildJvm.start(Counter.class, database.url()));
            }
            for (ChildJvm other : others) {
                assertThat(other.line()).isEqualTo("done");
            }
        } finally {
            others.forEach(ChildJvm::close);
        }
        assertThat(Sessions.ask(database.source(), "SELECT n FROM counter"))
                .isEqualTo(Integer.toString(PROCESSES * ROUNDS));
    }

    @Test
    @DisplayName("A15 a stranger who writes all the time makes others wait, and fails nobody")
    void busy() throws Exception {
        TestDatabase database = TestDatabase.sqlite(directory, "&busy_timeout=10000");
        try (JdbcLeaseStore store = JdbcLeaseStore.of(database.source());
                Connection stranger = Sessions.begin(database.source())) {
            Threads.Running<Integer> writing = Threads.start(() -> {
                int commits = 0;
                for (long end = System.nanoTime() + 500_000_000; System.nanoTime() < end; commits++) {
                    Sessions.execute(stranger, "UPDATE leasehold_schema SET version = version");
                    Threads.pause(Duration.ofMillis(3));
                    stranger.commit();
                }
                return commits;
            });
            int grants = 0;
            while (!writing.task().isDone()) {
                LeaseRef lease = Ask.take(store, Ask.key());
                assertThat(store.renew(List.of(lease))).hasSize(1);
                store.release(ReleaseRequest.of(lease));
                grants++;
            }
            assertThat(writing.get()).isPositive();
            assertThat(grants).isPositive();
        }
    }
}
