package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.once.FailurePolicy;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RecordCodec;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.StaleLeaseException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A finalize in two phases, on rows that have nothing but when they were locked, in PostgreSQL. */
@DisplayName("A finalize")
class FinalizeTest {
    private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);
    private static final RowMapping MAPPING = RowMapping.of("moc_instructions")
            .key("id")
            .since("finalizing_at", FIVE_MINUTES)
            .doneWhenNotNull("finalized_at");

    private static TestDatabase database;

    private final UnreliableSource source = new UnreliableSource(database.source());
    private final UserTable table = new UserTable(database.source(), "moc_instructions");
    private RowLeaseStore store;

    @BeforeAll
    static void start() {
        database = TestDatabase.postgres(17);
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @BeforeEach
    void open() {
        table.execute(
                "DROP TABLE IF EXISTS moc_instructions",
                "CREATE TABLE moc_instructions (id bigint PRIMARY KEY, title text NOT NULL,"
                        + " finalized_at timestamptz NULL, finalizing_at timestamptz NULL)",
                "INSERT INTO moc_instructions (id, title) VALUES (1, 'Castle'), (2, 'Ship')");
        store = JdbcLeaseStore.builder(source).onRows(MAPPING);
    }

    @AfterEach
    void close() {
        store.close();
        table.close();
    }

    private Map<String, String> row() {
        return table.row("id", 1L);
    }

    private void lockedSince(String age) {
        table.execute("UPDATE moc_instructions SET finalizing_at = now() - interval '" + age + "' WHERE id = 1");
    }

    @Test
    @Tag("part-of:FINALIZE-3")
    @DisplayName("locks its row in one conditional statement, which touches no other")
    void oneStatement() {
        store.acquire(ask("9", "warm-up", FIVE_MINUTES));
        source.sent().clear();
        take(store, "1", "api", FIVE_MINUTES);
        assertThat(source.sent()).hasSize(1);
        assertThat(row()).containsKey("finalizing_at").doesNotContainKey("finalized_at");
        assertThat(table.number("SELECT extract(epoch FROM now() - finalizing_at) FROM moc_instructions WHERE id = 1"))
                .isBetween(0L, 5L);
        assertThat(table.row("id", 2L)).doesNotContainKey("finalizing_at");
    }

    @Test
    @Tag("part-of:FINALIZE-3")
    @DisplayName("is refused while another is at it, and once it is finalized, in one statement each")
    void refused() {
        lockedSince("4 minutes");
        Map<String, String> before = row();
        store.acquire(ask("9", "warm-up", FIVE_MINUTES));
        source.sent().clear();
        assertThat(store.acquire(ask("1", "api", FIVE_MINUTES)))
                .isInstanceOfSatisfying(AcquireResult.Held.class, held -> {
                    assertThat(held.owner()).isNull();
                    assertThat(held.remaining()).isBetween(Duration.ofSeconds(50), Duration.ofMinutes(1));
                    assertThat(held.ttl()).isEqualTo(FIVE_MINUTES);
                    assertThat(held.heldFor()).isBetween(Duration.ofMinutes(4), Duration.ofSeconds(250));
                });
        assertThat(source.sent()).hasSize(1);
        assertThat(row()).isEqualTo(before);
        table.execute("UPDATE moc_instructions SET finalized_at = now(), finalizing_at = NULL");
        assertThat(store.acquire(ask("1", "api", FIVE_MINUTES))).isInstanceOf(AcquireResult.Settled.class);
        assertThat(row()).doesNotContainKey("finalizing_at");
    }

    @Test
    @Tag("part-of:FINALIZE-4")
    @DisplayName("that fails after its first write clears its lock, writes nothing, and may be tried again")
    void failure() throws Exception {
        try (Leases leases = Leases.builder(store).withoutLog().build()) {
            LeaseOptions options = LeaseOptions.noWait().withTtl(FIVE_MINUTES);
            assertThatIllegalStateException()
                    .isThrownBy(() -> leases.with(Key.of("1"), options, lease -> {
                        secondPhase(store, lease.ref(), () -> {
                            throw new IllegalStateException("a file is missing");
                        });
                        return true;
                    }));
            assertThat(row()).containsEntry("title", "Castle").doesNotContainKeys("finalizing_at", "finalized_at");
            boolean isDone = leases.with(Key.of("1"), options, lease -> {
                secondPhase(store, lease.ref(), () -> {});
                return true;
            });
            assertThat(isDone).isTrue();
            assertThat(row())
                    .containsEntry("title", "Castle, final")
                    .containsKey("finalized_at")
                    .doesNotContainKey("finalizing_at");
        }
    }

    @Test
    @Tag("part-of:FINALIZE-3")
    @Tag("part-of:FINALIZE-4")
    @DisplayName("as a run is given its row with the lock, and sets both columns in one statement at its end")
    void asARun() throws Exception {
        RecordCodec<String> codec = RecordCodec.of(row -> row.text("title"), title -> Fields.of("title", title));
        RunSpec<String> spec = RunSpec.of(codec).withLeaseTtl(FIVE_MINUTES).withFailurePolicy(FailurePolicy.CLEAR);
        try (RowLeaseStore rows = JdbcLeaseStore.builder(source).onRows(MAPPING.writes("title"));
                Leases leases = Leases.builder(rows).withoutLog().build()) {
            rows.acquire(ask("9", "warm-up", FIVE_MINUTES));
            source.sent().clear();
            Outcome<String> outcome = Once.on(leases, Key.of("1"), spec).run(run -> run.record() + ", final");
            assertThat(outcome).isInstanceOf(Outcome.Ran.class);
            assertThat(source.sent()).hasSize(2);
            assertThat(source.sent().get(1)).contains("finalized_at", "finalizing_at");
        }
        assertThat(row())
                .containsEntry("title", "Castle, final")
                .containsKey("finalized_at")
                .doesNotContainKey("finalizing_at");
    }

    @Test
    @Tag("part-of:FINALIZE-5")
    @DisplayName("that was left behind is rescued after its minutes, and not before")
    void rescued() {
        lockedSince("4 minutes 58 seconds");
        assertThat(store.acquire(ask("1", "api", FIVE_MINUTES))).isInstanceOf(AcquireResult.Held.class);
        lockedSince("5 minutes 1 second");
        assertThat(store.acquire(ask("1", "api", FIVE_MINUTES)))
                .isInstanceOfSatisfying(
                        AcquireResult.Granted.class,
                        granted -> assertThat(granted.predecessor()).isNotNull());
        try (RowLeaseStore patient =
                JdbcLeaseStore.builder(source).onRows(MAPPING.since("finalizing_at", Duration.ofMinutes(10)))) {
            lockedSince("6 minutes");
            assertThat(patient.acquire(ask("1", "api", FIVE_MINUTES))).isInstanceOf(AcquireResult.Held.class);
        }
    }

    @Test
    @Tag("part-of:FINALIZE-5")
    @DisplayName("that is still at work after its TTL is renewed, and so is not rescued")
    void renewed() {
        Duration ttl = Duration.ofSeconds(2);
        RowMapping shortly = MAPPING.since("finalizing_at", ttl);
        try (RowLeaseStore holding = JdbcLeaseStore.builder(source).onRows(shortly);
                RowLeaseStore rescuing = JdbcLeaseStore.builder(source).onRows(shortly);
                Leases leases = Leases.builder(holding).withoutLog().build()) {
            Lease lease = leases.tryAcquire(Key.of("1"), LeaseOptions.noWait().withTtl(ttl))
                    .orElseThrow();
            long start = System.nanoTime();
            // The server keeps the clock.
            while (System.nanoTime() - start < ttl.multipliedBy(2).toNanos()) {
                assertThat(rescuing.acquire(ask("1", "api", ttl))).isInstanceOf(AcquireResult.Held.class);
                LockSupport.parkNanos(50_000_000);
            }
            lease.ensure();
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
            take(rescuing, "1", "api", ttl);
        }
    }

    @Test
    @Tag("part-of:FINALIZE-10")
    @DisplayName("that was rescued from a holder still alive commits; that holder's second phase does not")
    void rescuedHolderIsAlive() throws SQLException {
        LeaseRef slow = take(store, "1", "api", FIVE_MINUTES);
        lockedSince("6 minutes");
        try (RowLeaseStore other = JdbcLeaseStore.builder(source).onRows(MAPPING)) {
            LeaseRef rescuer = take(other, "1", "api", FIVE_MINUTES);
            assertThat(rescuer.fence()).isGreaterThan(slow.fence());
            assertThatExceptionOfType(StaleLeaseException.class).isThrownBy(() -> secondPhase(store, slow, () -> {}));
            assertThat(row()).doesNotContainKey("finalized_at");
            secondPhase(other, rescuer, () -> {});
        }
        assertThat(row()).containsKey("finalized_at");
    }

    /** Writes twice in one transaction that stands or falls with the lease; the check comes in between. */
    private static void secondPhase(RowLeaseStore holder, LeaseRef lease, Runnable check) throws SQLException {
        try (Connection connection = database.source().getConnection()) {
            connection.setAutoCommit(false);
            holder.fence(connection, lease);
            Statement statement = connection.createStatement();
            statement.execute("UPDATE moc_instructions SET title = 'Castle, final' WHERE id = 1");
            check.run();
            statement.execute("UPDATE moc_instructions SET finalized_at = now() WHERE id = 1");
            connection.commit();
        }
    }
}
