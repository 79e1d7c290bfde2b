package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass(name = "{0}")
@EnumSource
@DisplayName("Leases on many rows that are renewed together")
class RowRenewalBatchTest {
    /** Not a power of two, and more than one statement of the smaller sizes. */
    private static final int MANY = 150;

    private static final Duration TTL = Duration.ofMinutes(5);
    private static final Duration SOON = Duration.ofSeconds(2);

    @TempDir
    private Path directory;

    @Parameter
    private Kind kind;

    private TestDatabase database;
    private RowMoment moment;
    private RowLeaseStore store;

    private List<LeaseRef> open(RowShape shape) throws SQLException {
        database = kind.fresh(directory);
        Dialect dialect = RowTables.dialect(kind);
        Sessions.execute(database.source(), shape.create(dialect));
        String values = String.join(
                ", ",
                IntStream.range(0, MANY).mapToObj(i -> "('job " + i + "')").toList());
        Sessions.execute(database.source(), "INSERT INTO jobs (id) VALUES " + values);
        moment = new RowMoment(database.source());
        store = JdbcLeaseStore.builder(moment).connections(1).onRows(shape.mapping());
        List<LeaseRef> leases = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            leases.add(take(store, "jobs/job " + i, "ann", TTL));
        }
        // The spare connection prepares its statements.
        store.renew(leases.subList(0, 2));
        return leases;
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    private static void assertExtended(List<Renewal> renewals, List<LeaseRef> leases) {
        assertThat(renewals).extracting(Renewal::lease).containsExactlyElementsOf(leases);
        assertThat(renewals).allSatisfy(renewal -> {
            assertThat(renewal.isExtended()).isTrue();
            assertThat(renewal.remaining()).isBetween(TTL.minusSeconds(3), TTL.plusSeconds(1));
        });
    }

    private long expiry(LeaseRef lease) {
        return store.find(lease.key()).orElseThrow().record().expiryMicros();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("R01 cost two statements, where the database is not in this process")
    void fewStatements(RowShape shape) throws SQLException {
        List<LeaseRef> leases = open(shape);
        int before = moment.sent();
        assertExtended(store.renew(leases), leases);
        assertThat(moment.sent() - before).isLessThanOrEqualTo(kind == Kind.H2 ? 2 * MANY : 2);
        assertExtended(store.renew(leases), leases);
        leases.forEach(
                lease -> assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED));
        assertThat(store.renew(leases)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("R07 are renewed but for those that are another's, freed, deleted or of another nonce")
    void lost(RowShape shape) throws SQLException {
        List<LeaseRef> leases = new ArrayList<>(open(shape));
        store.release(ReleaseRequest.of(leases.get(3)));
        store.release(ReleaseRequest.of(leases.get(4)));
        LeaseRef next = take(store, leases.get(4).key().value(), "bob", TTL);
        Sessions.execute(database.source(), "DELETE FROM jobs WHERE id = 'job 5'");
        List<LeaseRef> kept = new ArrayList<>(leases);
        kept.removeAll(List.of(leases.get(3), leases.get(4), leases.get(5)));
        assertExtended(store.renew(leases), kept);
        assertExtended(store.renew(List.of(next, kept.get(0))), List.of(next, kept.get(0)));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("R08 do not wait for a row that a transaction has locked, and all others are extended")
    void locked(RowShape shape) throws SQLException {
        List<LeaseRef> leases = open(shape);
        try (Connection stranger = Sessions.begin(database.source())) {
            // SQLite locks the whole file, so there is no other row to extend.
            boolean isLocked = kind != Kind.SQLITE;
            if (isLocked) {
                Sessions.execute(stranger, "SELECT * FROM jobs WHERE id IN ('job 7', 'job 8', 'job 90') FOR UPDATE");
            }
            List<LeaseRef> passed = List.of(leases.get(7), leases.get(8), leases.get(90));
            int before = moment.sent();
            long start = System.nanoTime();
            List<Renewal> renewals = store.renew(leases);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
            assertThat(moment.sent() - before).isLessThan(kind == Kind.H2 ? 3 * MANY : 50);
            assertThat(renewals).extracting(Renewal::lease).containsExactlyElementsOf(leases);
            assertThat(renewals).allSatisfy(renewal -> {
                // A row of whole seconds may have the second already that would be written.
                if (!shape.isInSeconds() || !passed.contains(renewal.lease())) {
                    assertThat(renewal.isExtended()).isEqualTo(!isLocked || !passed.contains(renewal.lease()));
                }
                assertThat(renewal.remaining()).isBetween(TTL.dividedBy(2), TTL.plusSeconds(1));
            });
            stranger.rollback();
        }
        assertExtended(store.renew(leases), leases);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("R01 live for the TTL that each was acquired with")
    void ttls(RowShape shape) throws SQLException {
        List<LeaseRef> leases = new ArrayList<>(open(shape));
        Duration shorter = TTL.dividedBy(2);
        for (int i = 0; i < 10; i++) {
            store.release(ReleaseRequest.of(leases.get(i)));
            leases.set(i, take(store, leases.get(i).key().value(), "ann", shorter));
        }
        List<Renewal> renewals = store.renew(leases);
        assertThat(renewals).extracting(Renewal::lease).containsExactlyElementsOf(leases);
        Duration longer = shape.has("since") ? TTL : shorter;
        assertThat(renewals.subList(0, 10))
                .allSatisfy(renewal ->
                        assertThat(renewal.remaining()).isBetween(longer.minusSeconds(3), longer.plusSeconds(1)));
        assertExtended(renewals.subList(10, MANY), leases.subList(10, MANY));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("R01 keep their expiry if another renewal overtakes them")
    void overtaken(RowShape shape) throws Exception {
        List<LeaseRef> leases = open(shape);
        LeaseRef first = leases.get(0);
        CountDownLatch isUnderWay = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        moment.before(kind == Kind.POSTGRESQL ? "WITH locked" : "UPDATE", () -> {
            isUnderWay.countDown();
            goOn.await();
        });
        Threads.Running<List<Renewal>> slow = Threads.start(() -> store.renew(leases));
        isUnderWay.await();
        // The store's clock has to go on before the second renewal, or there is nothing to move back.
        Threads.pause(Duration.ofMillis(100));
        List<LeaseRef> two = leases.subList(0, 2);
        assertThat(store.renew(two)).extracting(Renewal::lease).containsExactlyElementsOf(two);
        long overtaking = expiry(first);
        goOn.countDown();
        assertThat(slow.get()).extracting(Renewal::lease).containsExactlyElementsOf(leases);
        // The expiry is put together from two readings of the clock, a few microseconds apart.
        assertThat(expiry(first)).isGreaterThan(overtaking - 1_000);
        assertExtended(store.renew(leases), leases);
    }

    @ParameterizedTest
    @CsvSource({"bigint", "integer", "uuid", "char(40)"})
    @DisplayName("R01 are told apart by a key of any type")
    void keys(String type) throws SQLException {
        database = kind.fresh(directory);
        boolean isText = type.startsWith("char") || (type.equals("uuid") && kind == Kind.SQLITE);
        String inTable = kind == Kind.H2 && isText ? "var" + type : type;
        Sessions.execute(
                database.source(), "CREATE TABLE jobs (id " + inTable + " PRIMARY KEY, until bigint, fence bigint)");
        boolean isNumber = type.endsWith("int") || type.equals("integer");
        List<String> keys = IntStream.range(10, 20)
                .mapToObj(i -> isNumber ? "" + i : "00000000-0000-4000-8000-0000000000" + i)
                .toList();
        for (String key : keys) {
            Sessions.execute(database.source(), "INSERT INTO jobs (id) VALUES ('" + key + "')");
        }
        moment = new RowMoment(database.source());
        store = JdbcLeaseStore.builder(moment)
                .onRows(RowMapping.of("jobs").key("id").expiry("until").fence("fence"));
        List<LeaseRef> leases =
                keys.stream().map(key -> take(store, key, "ann", TTL)).toList();
        int before = moment.sent();
        assertExtended(store.renew(leases), leases);
        assertThat(moment.sent() - before).isLessThanOrEqualTo(kind == Kind.H2 ? 20 : 2);
    }
}
