package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Renewal;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A renewal of a row that another renewal overtakes")
class RowRenewalOrderTest {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Key KEY = Key.of("job");

    @TempDir
    private Path directory;

    private TestDatabase database;
    private RowMoment moment;
    private RowLeaseStore store;

    private void open(Kind kind, String column) throws SQLException {
        database = kind.fresh(directory);
        Sessions.execute(
                database.source(),
                "CREATE TABLE jobs (id varchar(60) PRIMARY KEY, until bigint, fence bigint, nonce varchar(40))");
        Sessions.execute(database.source(), "INSERT INTO jobs (id) VALUES ('job')");
        RowMapping mapping = RowMapping.of("jobs").key("id").expiry("until");
        moment = new RowMoment(database.source());
        store = JdbcLeaseStore.builder(moment)
                .onRows(column.equals("fence") ? mapping.fence(column) : mapping.nonce(column));
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    private long expiry() {
        return store.find(KEY).orElseThrow().record().expiryMicros();
    }

    @ParameterizedTest(name = "{1} on {0}")
    @CsvSource({
        "POSTGRESQL, fence",
        "POSTGRESQL, nonce",
        "MARIADB, fence",
        "MARIADB, nonce",
        "SQLITE, fence",
        "SQLITE, nonce",
        "H2, fence",
        "H2, nonce"
    })
    @DisplayName("does not move the expiry back, so no other caller gets in before the holder's deadline")
    void overtaken(Kind kind, String column) throws Exception {
        open(kind, column);
        LeaseRef lease = Ask.take(store, Ask.of(KEY, TTL));
        CountDownLatch isUnderWay = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        moment.before("UPDATE", () -> {
            isUnderWay.countDown();
            goOn.await();
        });
        Threads.Running<List<Renewal>> slow = Threads.start(() -> store.renew(List.of(lease)));
        isUnderWay.await();
        long before = expiry();
        // The store's clock has to go on before the second renewal, or there is nothing to move back.
        while (expiry() <= before + 100_000) {
            assertThat(store.renew(List.of(lease))).hasSize(1);
        }
        long overtaking = expiry();
        goOn.countDown();
        assertThat(slow.get()).hasSize(1);
        assertThat(expiry()).isGreaterThanOrEqualTo(overtaking);
    }
}
