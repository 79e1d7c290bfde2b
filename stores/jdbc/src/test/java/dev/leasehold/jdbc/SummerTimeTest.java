package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.servers.SqlServer;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.Threads;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two callers take turns on one key while the server's clock goes through a change of the local time. Sessions are in
 * Europe/Berlin, and each holder dies without a release, so the next caller must wait for exactly one TTL.
 */
@Tag("slow")
@DisplayName("The end and the beginning of summer time")
class SummerTimeTest {
    private static final Duration TTL = Duration.ofMillis(600);
    /** Two TTLs, and some time for a busy machine. A wrong hour is far longer. */
    private static final Duration LONGEST_WAIT = TTL.multipliedBy(2).plusSeconds(3);

    private static final Duration AROUND = Duration.ofMillis(2_500);
    private static final String KEY = "1";

    /** Local time goes from 02:59:59 to 02:00:00. So it shows each minute of this hour twice: before and after. */
    private static final Instant END = Instant.parse("2026-10-25T01:00:00Z");

    private static final Map<String, Instant> MOMENTS = Map.of(
            "the hour that comes twice begins", END.minus(Duration.ofHours(1)),
            "the hour comes again", END,
            "the hour that comes twice is over", END.plus(Duration.ofHours(1)),
            "an hour is left out", Instant.parse("2027-03-28T01:00:00Z"));

    private static SqlServer postgres;
    private static SqlServer mariaDb;

    /** Where the leases are. */
    enum Place {
        POSTGRES_TABLES(""),
        POSTGRES_TIMESTAMPTZ("timestamptz"),
        POSTGRES_TIMESTAMP_IN_UTC("timestamp"),
        MARIADB_TABLES(""),
        MARIADB_TIMESTAMP("timestamp(6) NULL"),
        MARIADB_DATETIME_IN_UTC("datetime(6)");

        private final String type;

        Place(String type) {
            this.type = type;
        }

        private boolean isPostgres() {
            return name().startsWith("POSTGRES");
        }

        private SqlServer server() {
            return isPostgres() ? postgres : mariaDb;
        }

        private LeaseStore open(DataSource sessions) {
            if (type.isEmpty()) {
                return JdbcLeaseStore.of(sessions);
            }
            try (UserTable table = new UserTable(sessions, "jobs")) {
                table.execute(
                        "CREATE TABLE jobs (id integer PRIMARY KEY, until " + type + ", fence bigint)",
                        "INSERT INTO jobs (id) VALUES (" + KEY + ")");
            }
            RowMapping mapping = RowMapping.of("jobs").key("id").expiry("until").fence("fence");
            return JdbcLeaseStore.builder(sessions).onRows(name().endsWith("UTC") ? mapping.timesInUtc() : mapping);
        }
    }

    @BeforeAll
    static void start() throws SQLException {
        Config config = Config.relaxed().withMovableClock();
        postgres = PostgresServer.start(18, config);
        mariaDb = MariaDbServer.start(config);
        try (var connection = mariaDb.connect()) {
            for (String sql : new String[] {
                "INSERT INTO mysql.time_zone (Time_zone_id, Use_leap_seconds) VALUES (1, 'N')",
                "INSERT INTO mysql.time_zone_name (Name, Time_zone_id) VALUES ('Europe/Berlin', 1)",
                "INSERT INTO mysql.time_zone_transition_type VALUES (1, 0, 7200, 1, 'CEST'), (1, 1, 3600, 0, 'CET')",
                "INSERT INTO mysql.time_zone_transition VALUES (1, 1774746000, 0), (1, 1792890000, 1),"
                        + " (1, 1806195600, 0)"
            }) {
                Sessions.execute(connection, sql);
            }
        }
    }

    @AfterAll
    static void stop() {
        postgres.close();
        mariaDb.close();
    }

    static Stream<Arguments> cells() {
        return Stream.of(Place.values())
                .flatMap(place -> MOMENTS.keySet().stream()
                        .sorted()
                        // Of columns that know their zone, one moment is enough: they were never wrong.
                        .filter(moment -> place == Place.MARIADB_TIMESTAMP || moment.equals("the hour comes again"))
                        .map(moment -> Arguments.of(place, moment)));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("cells")
    @DisplayName("C06 gives a key to one holder at a time, with growing fences, and to the next after one TTL")
    void changesNothing(Place place, String moment) throws SQLException {
        Instant change = MOMENTS.get(moment);
        SqlServer server = place.server();
        try (TestDatabase database = TestDatabase.on(server)) {
            String zone = place.isPostgres() ? "SET TIME ZONE 'Europe/Berlin'" : "SET time_zone = 'Europe/Berlin'";
            DataSource sessions = new SessionSource(database.source(), zone);
            try (LeaseStore store = place.open(sessions)) {
                server.moveClock(Duration.between(server.time(), change.minus(AROUND)));
                takeTurns(store, server, change);
            }
        }
    }

    private static void takeTurns(LeaseStore store, SqlServer server, Instant change) {
        Turn turn = Turn.begin(store, "ann");
        assertThat(server.time()).as("the first turn began before the change").isBefore(change);
        for (int turns = 1; turns % 2 == 1 || server.time().isBefore(change.plus(AROUND)); turns++) {
            turn = turn.next(store, turns % 2 == 0 ? "ann" : "bob");
        }
    }

    /**
     * A lease that was held and renewed, and whose holder is dead.
     *
     * @param renewedNanos when the holder sent its last renewal
     */
    private record Turn(Fence fence, long renewedNanos) {
        static Turn begin(LeaseStore store, String owner) {
            AcquireRequest request = ask(KEY, owner, TTL);
            long asked = System.nanoTime();
            return hold(store, request, asked, store.acquire(request));
        }

        /** Polls until the lease of the dead holder is over. */
        Turn next(LeaseStore store, String owner) {
            AcquireRequest request = ask(KEY, owner, TTL);
            long asked = System.nanoTime();
            AcquireResult result = store.acquire(request);
            while (result instanceof AcquireResult.Held) {
                assertThat(Duration.ofNanos(System.nanoTime() - renewedNanos))
                        .as("time for which a dead holder blocks: %s", result)
                        .isLessThan(LONGEST_WAIT);
                Threads.pause(Duration.ofMillis(10));
                asked = System.nanoTime();
                result = store.acquire(request);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - renewedNanos))
                    .as("time for which the last holder had the lease to itself")
                    .isGreaterThanOrEqualTo(TTL);
            Turn next = hold(store, request, asked, result);
            assertThat(next.fence).isGreaterThan(fence);
            return next;
        }

        private static Turn hold(LeaseStore store, AcquireRequest request, long asked, AcquireResult result) {
            assertThat(result).isInstanceOf(AcquireResult.Granted.class);
            LeaseRef lease = new LeaseRef(request.key(), request.nonce(), ((AcquireResult.Granted) result).fence());
            AcquireRequest rival = ask(KEY, "rival", TTL);
            long rivalAsked = System.nanoTime();
            AcquireResult rivals = store.acquire(rival);
            if (isOver(asked, rivals)) {
                return hold(store, rival, rivalAsked, rivals);
            }
            long sent = System.nanoTime();
            assertThat(store.renew(List.of(lease)))
                    .singleElement()
                    .satisfies(renewal -> assertThat(renewal.remaining()).isBetween(TTL.minusMillis(1), TTL));
            rivalAsked = System.nanoTime();
            rivals = store.acquire(rival);
            return isOver(sent, rivals) ? hold(store, rival, rivalAsked, rivals) : new Turn(lease.fence(), sent);
        }

        /** Whether the rival took over, which is right only if this machine paused for longer than the TTL. */
        private static boolean isOver(long sinceNanos, AcquireResult rivals) {
            if (System.nanoTime() - sinceNanos < TTL.toNanos()) {
                assertThat(rivals).isInstanceOf(AcquireResult.Held.class);
            }
            return rivals instanceof AcquireResult.Granted;
        }
    }
}
