package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.History;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Tables that were made before there was a history")
class MissingHistoryTest {
    private static final Key KEY = Key.of("report");

    @TempDir
    private Path directory;

    private static void dropHistory(TestDatabase database) throws SQLException {
        try (Connection connection = database.source().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE leasehold_history");
        }
    }

    @ParameterizedTest(name = "J13 do not stop leases, and whoever asks for the history is told what to run: {0}")
    @EnumSource
    void leasesGoOn(Kind kind) throws SQLException {
        try (TestDatabase database = kind.fresh(directory)) {
            dropHistory(database);
            try (JdbcLeaseStore store = JdbcLeaseStore.of(database.source());
                    Leases leases = Leases.builder(store)
                            .keepingHistory(Duration.ofDays(1))
                            .build()) {
                Lease lease = leases.tryAcquire(KEY).orElseThrow();
                History history = store.history().orElseThrow();

                assertAsksForSchema(() -> history.read(HistoryRequest.of(KEY)));
                assertAsksForSchema(() -> history.append(List.of(HistoryNote.of(KEY, HistoryKind.LOST))));
                assertAsksForSchema(() -> history.forget(Duration.ofDays(1), 10));
                assertAsksForSchema(() -> leases.forceRelease(KEY, lease.fence(), "olga", "It hangs."));
                lease.renew();
                lease.release();

                JdbcLeaseStore.createSchema(database.source());
                history.append(List.of(HistoryNote.of(KEY, HistoryKind.LOST)));
                assertThat(history.read(HistoryRequest.of(KEY))).isNotEmpty();
            }
        }
    }

    private static void assertAsksForSchema(Runnable call) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(call::run)
                .withMessageContaining("JdbcLeaseStore.createSchema")
                .withMessageContainingAll(".sql", "leasehold-jdbc jar")
                .isNotInstanceOf(StoreUnavailableException.class);
    }
}
