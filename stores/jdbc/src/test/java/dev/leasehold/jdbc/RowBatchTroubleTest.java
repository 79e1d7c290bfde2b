package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Calls for rows of PostgreSQL that go together, of which one has trouble,")
class RowBatchTroubleTest {
    private static final Duration TTL = Duration.ofMinutes(5);
    private static final Duration SHORT_TTL = Duration.ofSeconds(2);
    private static final long PATIENCE_MILLIS = 10_000;
    private static final RowMapping MAPPING = RowMapping.of("jobs")
            .key("id")
            .owner("owner")
            .expiry("until")
            .fence("fence")
            .nonce("nonce")
            .attempts("attempts");

    private TestDatabase database;
    private RowMoment moment;
    private RowLeaseStore store;

    @BeforeEach
    void start() {
        database = TestDatabase.postgres(17);
        moment = new RowMoment(database.source());
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    private void open(String keyType, String... more) throws Exception {
        Sessions.execute(
                database.source(),
                "CREATE TABLE jobs (id " + keyType + " PRIMARY KEY, owner text, until timestamptz, fence bigint,"
                        + " nonce text, attempts int)");
        for (String statement : more) {
            Sessions.execute(database.source(), statement);
        }
        store = JdbcLeaseStore.builder(moment).connections(1).onRows(MAPPING);
    }

    /** Acquires all of these in one statement: they wait while a first call has the only connection. */
    private Map<String, Future<AcquireResult>> together(String first, List<String> keys) throws Exception {
        store.release(ReleaseRequest.of(take(store, first, "ann", TTL))); // Now a free row is the likely one.
        Map<String, Future<AcquireResult>> calls = new LinkedHashMap<>();
        moment.before("UPDATE", () -> {
            for (String key : keys) {
                FutureTask<AcquireResult> call = new FutureTask<>(() -> store.acquire(ask(key, "bob", TTL)));
                Thread thread = new Thread(call, "acquires " + key);
                thread.setDaemon(true);
                thread.start();
                calls.put(key, call);
                long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
                while (thread.getState() != Thread.State.TIMED_WAITING && thread.getState() != Thread.State.WAITING) {
                    assertThat(System.nanoTime()).as("the call waits").isLessThan(end);
                    Thread.onSpinWait();
                }
            }
        });
        take(store, first, "ann", TTL);
        assertThat(moment.hasPassed()).isTrue();
        for (Future<AcquireResult> call : calls.values()) {
            CompletableFuture.runAsync(() -> awaited(call)).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        }
        return calls;
    }

    private static void awaited(Future<AcquireResult> call) {
        try {
            call.get();
        } catch (Exception e) {
            // Looked at by the test.
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"smallserial", "serial", "bigserial", "bigint GENERATED ALWAYS AS IDENTITY"})
    @DisplayName("A10 go together if the key counts by itself")
    void countingKeys(String type) throws Exception {
        open(type, "INSERT INTO jobs SELECT FROM generate_series(1, 4)");
        Map<String, Future<AcquireResult>> calls = together("1", List.of("2", "3", "4"));
        LeaseRef[] leases = new LeaseRef[2];
        for (Future<AcquireResult> call : calls.values()) {
            assertThat(call.get()).isInstanceOf(AcquireResult.Granted.class);
        }
        Sessions.execute(database.source(), "UPDATE jobs SET until = NULL, owner = NULL, nonce = NULL");
        leases[0] = take(store, "1", "ann", TTL);
        leases[1] = take(store, "2", "ann", TTL);
        assertThat(store.renew(List.of(leases))).hasSize(2);
        assertThat(store.release(ReleaseRequest.of(leases[0]))).isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    @DisplayName("A10 are answered although one key is larger than the column")
    void largeKey() throws Exception {
        open("int", "INSERT INTO jobs SELECT i FROM generate_series(1, 3) AS i");
        Map<String, Future<AcquireResult>> calls = together("1", List.of("2", "99999999999", "3"));
        assertThat(calls.get("2").get()).isInstanceOf(AcquireResult.Granted.class);
        assertThat(calls.get("3").get()).isInstanceOf(AcquireResult.Granted.class);
        assertThat(calls.get("99999999999").get()).isEqualTo(new AcquireResult.Missing());
    }

    @Test
    @DisplayName("A10 are answered although one row may not be changed")
    void rowThatMayNotBeChanged() throws Exception {
        open(
                "int",
                "INSERT INTO jobs SELECT i FROM generate_series(1, 4) AS i",
                "ALTER TABLE jobs ADD CHECK (id <> 3) NOT VALID");
        Map<String, Future<AcquireResult>> calls = together("1", List.of("2", "3", "4"));
        assertThat(calls.get("2").get()).isInstanceOf(AcquireResult.Granted.class);
        assertThat(calls.get("4").get()).isInstanceOf(AcquireResult.Granted.class);
        assertThatThrownBy(() -> calls.get("3").get())
                .cause()
                .isExactlyInstanceOf(StoreException.class)
                .message()
                .doesNotContain("Failing row");
    }

    @Test
    @DisplayName("R08 keep the leases on all other rows if one may not be changed any more")
    void rowThatMayNotBeRenewed() throws Exception {
        open("int", "INSERT INTO jobs SELECT i FROM generate_series(1, 4) AS i");
        try (Leases leases = Leases.on(store)) {
            List<Lease> held = new ArrayList<>();
            for (int i = 1; i <= 4; i++) {
                held.add(leases.tryAcquire(
                                Integer.toString(i), LeaseOptions.noWait().withTtl(SHORT_TTL))
                        .orElseThrow());
            }
            Sessions.execute(database.source(), "ALTER TABLE jobs ADD CHECK (id <> 3) NOT VALID");
            CountDownLatch isLost = new CountDownLatch(1);
            held.get(2).onLost(loss -> isLost.countDown());
            assertThat(isLost.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            for (int i : new int[] {0, 1, 3}) {
                held.get(i).ensure();
                assertThat(held.get(i).isValid()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"JOB2", "job2 "})
    @DisplayName("A10 take their keys to the letter")
    void toTheLetter(String almost) throws Exception {
        Sessions.execute(
                database.source(),
                "CREATE COLLATION IF NOT EXISTS blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
        open(
                almost.endsWith(" ") ? "char(20)" : "text COLLATE blind",
                "INSERT INTO jobs SELECT 'job' || i FROM generate_series(1, 4) AS i");
        Map<String, Future<AcquireResult>> calls = together("job1", List.of("job3", almost, "job4"));
        assertThat(calls.get("job3").get()).isInstanceOf(AcquireResult.Granted.class);
        assertThat(calls.get(almost).get()).isEqualTo(new AcquireResult.Missing());
        take(store, "job2", "ann", TTL);
    }
}
