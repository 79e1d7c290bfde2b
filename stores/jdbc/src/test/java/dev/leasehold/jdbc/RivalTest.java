package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rival's transaction is open when the call starts. It commits while the call waits for the record. */
@DisplayName("A call that meets a rival's transaction on its record")
class RivalTest {
    private static final String RIVAL = "00000000000000000000000000000abc";

    @TempDir
    private Path directory;

    private TestDatabase database;
    private JdbcLeaseStore store;

    private void open(Kind kind) {
        database = kind.fresh(directory);
        store = JdbcLeaseStore.of(database.source());
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    private AcquireResult askWhile(AcquireRequest request, String change) throws Exception {
        try (Connection rival = Sessions.begin(database.source())) {
            Sessions.execute(rival, change);
            Threads.Running<AcquireResult> asking = Threads.start(() -> store.acquire(request));
            Threads.pause(Duration.ofMillis(20));
            rival.commit();
            return asking.get();
        }
    }

    private String rivalTakesOver() {
        return "UPDATE leasehold_lease SET state = 'H', nonce = '" + RIVAL + "', owner = 'rival', fence = fence + 1,"
                + " expiry = expiry + 60000000, ttl = 60000000";
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    @DisplayName("is not granted its expired lease again if the rival takes it over")
    void takenOver(Kind kind) throws Exception {
        open(kind);
        AcquireRequest request = Ask.of(Ask.key(), Duration.ofMillis(50));
        Ask.take(store, request);
        Threads.pause(Duration.ofMillis(60));
        AcquireResult answer = askWhile(request, rivalTakesOver());
        assertThat(answer).isInstanceOf(AcquireResult.Held.class);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    @DisplayName("A06 is not granted its lease again if the rival releases it by force")
    void forced(Kind kind) throws Exception {
        open(kind);
        AcquireRequest request = Ask.of(Ask.key());
        LeaseRef lease = Ask.take(store, request);
        AcquireResult answer = askWhile(
                request,
                "UPDATE leasehold_lease SET state = 'F', tombstone = nonce, nonce = NULL, owner = NULL, expiry = 0");
        assertThat(answer).isNotInstanceOf(AcquireResult.Granted.class);
        assertThat(store.renew(java.util.List.of(lease))).isEmpty();
    }

    /** SQLite has one writer at a time: a call cannot start between a rival's change and its commit. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    @DisplayName("is told that the record is held while the rival has it locked, although it is free")
    void locked(Kind kind) throws SQLException {
        open(kind);
        LeaseRef lease = Ask.take(store, Ask.key());
        store.release(dev.leasehold.store.ReleaseRequest.of(lease));
        try (Connection rival = Sessions.lockRow(database.source(), lease.key())) {
            long start = System.nanoTime();
            AcquireResult answer = store.acquire(Ask.of(lease.key()));
            assertThat(answer).isInstanceOf(AcquireResult.Held.class);
            assertThat(((AcquireResult.Held) answer).remaining()).isPositive();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
            rival.rollback();
        }
        assertThat(store.acquire(Ask.of(lease.key()))).isInstanceOf(AcquireResult.Granted.class);
    }
}
