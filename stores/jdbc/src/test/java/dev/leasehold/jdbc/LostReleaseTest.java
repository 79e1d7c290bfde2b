package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Threads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The server writes its log for commits that do not wait for it after ten seconds, and is killed before. */
@Tag("slow")
@DisplayName("A release on a row of PostgreSQL that a crash follows at once")
class LostReleaseTest {
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final RowMapping MAPPING = RowMapping.of("jobs")
            .key("id")
            .owner("owner")
            .expiry("until")
            .fence("fence")
            .nonce("nonce");

    private final PostgresServer server = PostgresServer.start(
            18, Config.durable().with("wal_writer_delay", "10s").with("autovacuum", "off"));
    private final TestDatabase database = TestDatabase.on(server);
    private RowLeaseStore store;

    @AfterEach
    void close() {
        store.close();
        server.close();
    }

    private void open(JdbcLeaseStoreBuilder builder) throws SQLException {
        Sessions.execute(
                database.source(),
                "CREATE TABLE jobs (id int PRIMARY KEY, owner text, until timestamptz, fence bigint, nonce text)");
        Sessions.execute(database.source(), "INSERT INTO jobs (id) SELECT generate_series(1, 8)");
        store = builder.callLimit(Duration.ofSeconds(2)).onRows(MAPPING);
    }

    private LeaseRef releaseAndCrash() {
        take(store, "2", "ann", TTL);
        LeaseRef lease = take(store, "1", "ann", TTL);
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        server.kill();
        server.restart();
        Threads.eventually("up again", () -> !answer("2").isEmpty());
        return lease;
    }

    /** The answer to a request for the row, or nothing while the server starts. */
    private List<AcquireResult> answer(String key) {
        try {
            return List.of(store.acquire(ask(key, "bob", TTL)));
        } catch (StoreUnavailableException e) {
            return List.of();
        }
    }

    @Test
    @DisplayName("F03 may be forgotten: the row stays locked for its TTL, and the next grant has a larger fence")
    void forgotten() throws SQLException {
        open(JdbcLeaseStore.builder(database.source()));
        LeaseRef lease = releaseAndCrash();
        assertThat(answer("1"))
                .as("the crash lost the release")
                .singleElement()
                .isInstanceOfSatisfying(
                        AcquireResult.Held.class,
                        held -> assertThat(held.remaining()).isLessThanOrEqualTo(TTL));
        List<AcquireResult> next = new ArrayList<>();
        Threads.eventually("free after its TTL", () -> {
            next.clear();
            next.addAll(answer("1"));
            return next.get(0) instanceof AcquireResult.Granted;
        });
        assertThat(((AcquireResult.Granted) next.get(0)).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @DisplayName("F03 is forgotten together with nothing that anybody was granted: a later grant keeps it")
    void keptByTheNextGrant() throws SQLException {
        open(JdbcLeaseStore.builder(database.source()));
        LeaseRef first = take(store, "1", "ann", TTL);
        store.release(ReleaseRequest.of(first));
        LeaseRef second = take(store, "1", "bob", TTL);
        server.kill();
        server.restart();
        Threads.eventually("up again", () -> !answer("3").isEmpty());
        assertThat(answer("1")).singleElement().isInstanceOf(AcquireResult.Held.class);
        assertThat(store.renew(List.of(second))).hasSize(1);
        assertThat(store.renew(List.of(first))).isEmpty();
    }

    @Test
    @DisplayName("L01 is kept if the store was told to wait for it")
    void waitedFor() throws SQLException {
        open(JdbcLeaseStore.builder(database.source()).waitingForReleases());
        releaseAndCrash();
        take(store, "1", "bob", TTL);
    }
}
