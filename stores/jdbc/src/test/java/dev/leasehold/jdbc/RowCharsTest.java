package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "{0}")
@EnumSource
@DisplayName("A column of fixed length, which the database fills with blanks,")
class RowCharsTest {
    private static final Duration TTL = Duration.ofMinutes(5);
    private static final RowMapping MAPPING = RowMapping.of("jobs").key("id").expiry("until");

    @TempDir
    private Path directory;

    @Parameter
    private Kind kind;

    private TestDatabase database;
    private UserTable table;

    @BeforeEach
    void create() {
        database = kind.fresh(directory);
        table = new UserTable(database.source(), "jobs");
        table.execute(
                "DROP TABLE IF EXISTS jobs",
                "CREATE TABLE jobs (id varchar(20) PRIMARY KEY, until bigint, owner char(40), nonce char(36),"
                        + " status char(20), brief char(4), fixed char(20))",
                "INSERT INTO jobs (id, status, fixed) VALUES ('1', 'NEW', '1'), ('2', 'READY', '2')");
    }

    @AfterEach
    void close() {
        table.close();
        database.close();
    }

    private RowLeaseStore open(RowMapping mapping) {
        return JdbcLeaseStore.builder(database.source()).onRows(mapping);
    }

    private void assertWorks(RowMapping mapping, String owner) {
        try (RowLeaseStore store = open(mapping)) {
            LeaseRef lease = take(store, "1", owner, TTL);
            assertThat(store.renew(List.of(lease)))
                    .singleElement()
                    .satisfies(renewal -> assertThat(renewal.isExtended()).isTrue());
            AcquireRequest rival = ask("1", "bob", TTL);
            assertThat(store.acquire(rival)).isInstanceOf(AcquireResult.Held.class);
            table.execute("UPDATE jobs SET until = 1 WHERE id = '1'");
            assertThat(store.acquire(rival)).as("expired").isInstanceOf(AcquireResult.Granted.class);
            AcquireResult.Granted next = (AcquireResult.Granted) store.acquire(rival);
            LeaseRef second = new LeaseRef(rival.key(), rival.nonce(), next.fence());
            assertThat(store.release(ReleaseRequest.of(second))).isEqualTo(ReleaseResult.RELEASED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ann", "ann smith"})
    @DisplayName("may hold the nonce or the owner")
    void nonceAndOwner(String owner) {
        assertWorks(MAPPING.nonce("nonce"), owner);
        assertWorks(MAPPING.owner("owner"), owner);
        assertWorks(MAPPING.owner("brief"), owner);
        assertWorks(MAPPING.owner("owner").nonce("nonce"), owner);
    }

    @ParameterizedTest
    @ValueSource(strings = "ann")
    @DisplayName("names the owner without blanks")
    void named(String owner) {
        try (RowLeaseStore store = open(MAPPING.owner("owner"))) {
            take(store, "1", owner, TTL);
            assertThat(store.acquire(ask("1", "bob", TTL)))
                    .isInstanceOfSatisfying(
                            AcquireResult.Held.class,
                            held -> assertThat(Objects.toString(held.owner())).isEqualTo(owner));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "READY")
    @DisplayName("may say that a row is finished")
    void finished(String status) {
        try (RowLeaseStore store = open(MAPPING.doneWhen("status", status))) {
            take(store, "1", "ann", TTL);
            assertThat(store.acquire(ask("2", "ann", TTL))).isInstanceOf(AcquireResult.Settled.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "fixed")
    @DisplayName("may be the key, but is refused at the start on H2")
    void key(String column) {
        if (kind == Kind.H2) {
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> open(MAPPING.key(column)).close())
                    .withMessageContainingAll("FIXED", "jobs", "variable length");
        } else {
            assertWorks(MAPPING.key(column), "ann");
        }
    }
}
