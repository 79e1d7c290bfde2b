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
        Sessions.execute(database.source(), "INSERT INTO jobs (id) VALUES ('job'), ('other')");
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

    private long expiry() throws SQLException {
        return Long.parseLong(Sessions.ask(database.source(), "SELECT until FROM jobs WHERE id = 'job'"));
    }

    /** A renewal that has read its rows, and that changes them when it is let go on. */
    private Threads.Running<List<Renewal>> renewLate(String change, List<LeaseRef> leases, CountDownLatch goOn)
            throws InterruptedException {
        CountDownLatch isUnderWay = new CountDownLatch(1);
        moment.before(change, () -> {
            isUnderWay.countDown();
            goOn.await();
        });
        Threads.Running<List<Renewal>> late = Threads.start(() -> store.renew(leases));
        isUnderWay.await();
        return late;
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
        CountDownLatch goOn = new CountDownLatch(1);
        Threads.Running<List<Renewal>> slow = renewLate("UPDATE", List.of(lease), goOn);
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
    @DisplayName("does not move the expiry back if the overtaking one has a longer TTL")
    void overtakenByLongerTtl(Kind kind, String column) throws Exception {
        open(kind, column);
        LeaseRef lease = Ask.take(store, Ask.of(KEY, TTL));
        assertLongerTtlStays("UPDATE", List.of(lease));
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
    @DisplayName("together with others does not move the expiry back if the overtaking one has a longer TTL")
    void overtakenTogether(Kind kind, String column) throws Exception {
        open(kind, column);
        LeaseRef lease = Ask.take(store, Ask.of(KEY, TTL));
        LeaseRef other = Ask.take(store, Ask.of(Key.of("other"), TTL));
        assertLongerTtlStays(kind == Kind.POSTGRESQL ? "WITH locked" : "UPDATE", List.of(lease, other));
    }

    private void assertLongerTtlStays(String change, List<LeaseRef> leases) throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        Threads.Running<List<Renewal>> late = renewLate(change, leases, goOn);
        Duration longer = TTL.multipliedBy(2);
        assertThat(store.renew(leases.get(0), longer))
                .hasValueSatisfying(renewal -> assertThat(renewal.isExtended()).isTrue());
        long overtaking = expiry();
        goOn.countDown();
        assertThat(late.get()).extracting(Renewal::lease).containsExactlyInAnyOrderElementsOf(leases);
        assertThat(expiry()).isGreaterThanOrEqualTo(overtaking);
        assertThat(store.renew(leases).get(0).remaining()).isGreaterThan(TTL.plusSeconds(1));
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
    @DisplayName("moves the expiry back with a shorter TTL of its own, and after the clock was set back")
    void shortened(Kind kind, String column) throws Exception {
        open(kind, column);
        LeaseRef lease = Ask.take(store, Ask.of(KEY, TTL.multipliedBy(2)));
        LeaseRef other = Ask.take(store, Ask.of(Key.of("other"), TTL));
        long before = expiry();
        assertThat(store.renew(lease, TTL))
                .hasValueSatisfying(renewal -> assertThat(renewal.isExtended()).isTrue());
        assertThat(expiry()).isLessThan(before);
        Sessions.execute(database.source(), "UPDATE jobs SET until = until + 3600000000");
        assertThat(store.renew(List.of(lease, other))).hasSize(2);
        assertThat(expiry()).isLessThan(before);
    }
}
