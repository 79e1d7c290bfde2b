package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Attempts on rows that are leased only")
class RowAttemptsTest {
    private static final RowMapping MAPPING = RowMapping.of("jobs")
            .key("id")
            .expiry("until")
            .fence("fence")
            .nonce("nonce")
            .attempts("attempts");

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    @DisplayName("O12 are counted from one, and are the row's")
    void counted(Kind kind) throws Exception {
        String time = kind == Kind.MARIADB ? "datetime(6)" : "timestamp";
        try (TestDatabase database = kind.fresh(directory);
                UserTable table = new UserTable(database.source(), "jobs")) {
            table.execute(
                    "DROP TABLE IF EXISTS jobs",
                    "CREATE TABLE jobs (id varchar(50) PRIMARY KEY, until " + time
                            + ", fence bigint, nonce varchar(40), attempts int)",
                    "INSERT INTO jobs (id) VALUES ('7')");
            try (RowLeaseStore store = JdbcLeaseStore.builder(database.source()).onRows(MAPPING)) {
                for (int attempt = 1; attempt <= 3; attempt++) {
                    AcquireRequest request = ask("7", "ann", Duration.ofMinutes(5));
                    AcquireResult.Granted granted = (AcquireResult.Granted) store.acquire(request);
                    assertThat(granted.attempt()).isEqualTo(attempt);
                    assertThat(table.number("SELECT attempts FROM jobs")).isEqualTo(attempt);
                    store.release(ReleaseRequest.of(new LeaseRef(request.key(), request.nonce(), granted.fence()))
                            .withEnding(ReleaseRequest.Ending.KEEP_ATTEMPTS));
                }
            }
        }
    }
}
