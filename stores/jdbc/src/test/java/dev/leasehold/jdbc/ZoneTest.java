package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.TimeZone;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Time zones change nothing")
class ZoneTest {
    private static final long A_MINUTE = 60_000_000;

    @TempDir
    private Path directory;

    private final TimeZone before = TimeZone.getDefault();
    private TestDatabase database;
    private JdbcLeaseStore store;

    private void open(DataSource source) {
        store = JdbcLeaseStore.of(source);
    }

    @AfterEach
    void close() {
        TimeZone.setDefault(before);
        store.close();
        database.close();
    }

    /** Connections of a session that is told this first. */
    private DataSource told(String command) {
        return Sessions.source(() -> {
            Connection connection = database.source().getConnection();
            Sessions.execute(connection, command);
            return connection;
        });
    }

    private void assertTimeIsRight(LeaseRef lease) {
        LeaseSnapshot found = store.find(lease.key()).orElseThrow();
        long now = Instant.now().toEpochMilli() * 1_000;
        assertThat(lease.fence().value()).isCloseTo(now, within(A_MINUTE));
        assertThat(found.nowMicros()).isCloseTo(now, within(A_MINUTE));
        assertThat(found.record().expiryMicros() - found.nowMicros()).isCloseTo(Micros.of(Ask.LONG), within(A_MINUTE));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("C06 when JVM, session and server are in three different ones")
    void threeZones(Kind kind) throws SQLException {
        database = kind.fresh(directory);
        TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Chatham"));
        switch (kind) {
            case POSTGRESQL -> {
                String name = Sessions.ask(database.source(), "SELECT current_database()");
                Sessions.execute(database.source(), "ALTER DATABASE " + name + " SET timezone = 'Asia/Kathmandu'");
                open(told("SET TIME ZONE 'America/St_Johns'"));
            }
            case MARIADB -> {
                String server = Sessions.ask(database.source(), "SELECT @@global.time_zone");
                Sessions.execute(database.source(), "SET GLOBAL time_zone = '+05:45'");
                open(told("SET time_zone = '-03:30'"));
                Sessions.execute(database.source(), "SET GLOBAL time_zone = '" + server + "'");
            }
            case SQLITE, H2 -> open(database.source());
        }
        assertTimeIsRight(Ask.take(store, Ask.key()));
    }

    @Test
    @DisplayName("C06 when the session is in the hour that the end of summer time repeats")
    void repeatedHour() throws SQLException {
        database = TestDatabase.mariaDb();
        open(told("SET time_zone = '" + summerTimeEnds(database, Instant.now().minusSeconds(60)) + "'"));
        assertTimeIsRight(Ask.take(store, Ask.key()));
    }

    @Test
    @Tag("slow")
    @DisplayName("C06 when summer time ends while an acquire waits for a lock")
    void endOfSummerTime() throws Exception {
        database = TestDatabase.mariaDb();
        Instant end = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(2);
        open(told("SET time_zone = '" + summerTimeEnds(database, end) + "'"));
        Key key = Ask.key();
        Ask.take(store, Ask.of(key, Duration.ofNanos(1_000)));
        Sessions.execute(database.source(), "UPDATE leasehold_lease SET expiry = expiry - 7200000000");
        // Whoever waits in line goes straight to the statement that takes over.
        AcquireRequest request = Ask.of(key).inLineFor(Ask.LONG);
        try (Connection stranger = Sessions.lockRow(database.source(), key)) {
            // Not so long that the call would give up waiting for the record.
            Threads.pause(Duration.between(Instant.now(), end.minusMillis(20)));
            Threads.Running<AcquireResult> acquire = Threads.start(() -> store.acquire(request));
            Threads.pause(Duration.between(Instant.now(), end.plusMillis(30)));
            stranger.rollback();
            // On a busy machine the call may have given up waiting for the record.
            AcquireResult answer = acquire.get();
            AcquireResult.Granted granted = Ask.granted(Ask.isGranted(answer) ? answer : store.acquire(request));
            assertTimeIsRight(new LeaseRef(key, request.nonce(), granted.fence()));
        }
    }

    /** A zone that sets its clocks back by an hour at this moment. */
    static String summerTimeEnds(TestDatabase database, Instant end) throws SQLException {
        int id = ThreadLocalRandom.current().nextInt(1_000_000);
        String name = "Trap/" + id;
        long second = end.getEpochSecond() + 1;
        for (String sql : new String[] {
            "INSERT INTO mysql.time_zone (Time_zone_id, Use_leap_seconds) VALUES (" + id + ", 'N')",
            "INSERT INTO mysql.time_zone_name (Name, Time_zone_id) VALUES ('" + name + "', " + id + ")",
            "INSERT INTO mysql.time_zone_transition_type VALUES (" + id + ", 0, 7200, 1, 'TST'), (" + id
                    + ", 1, 3600, 0, 'TT')",
            "INSERT INTO mysql.time_zone_transition VALUES (" + id + ", " + (second - 86_400) + ", 0), (" + id + ", "
                    + second + ", 1)"
        }) {
            Sessions.execute(database.source(), sql);
        }
        return name;
    }
}
