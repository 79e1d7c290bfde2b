package dev.leasehold.faults;

import dev.leasehold.faults.FaultCase.Evidence;
import dev.leasehold.faults.FaultCase.Injected;
import dev.leasehold.servers.SqlServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A database server in Europe/Berlin goes through the end or the beginning of summer time while leases are held. Its
 * clock is set to a moment before the change while no lease is held, and then runs on: it does not jump.
 */
record SummerTime(Instant change) implements FaultCase.Injector {
    /** 03:00 becomes 02:00, and the hour comes again. */
    static final SummerTime END = new SummerTime(Instant.parse("2026-10-25T01:00:00Z"));
    /** 02:00 becomes 03:00. */
    static final SummerTime BEGIN = new SummerTime(Instant.parse("2027-03-28T01:00:00Z"));

    private static final ZoneId ZONE = ZoneId.of("Europe/Berlin");
    /** On a busy machine the crew needs seconds before two of its workers hold their leases. */
    private static final Duration LEAD = Duration.ofSeconds(10);

    private static final Duration SHORTLY = Duration.ofSeconds(1);

    @Override
    public void prepare(Bed bed) throws SQLException {
        execute(bed, isMariaDb(bed) ? mariaDbZone() : postgresZone("SET timezone = '" + ZONE + "'"));
        // Sessions that are open keep their zone.
        bed.proxy().orElseThrow().resetAll();
        setClock(bed, change.minus(LEAD));
    }

    private static List<String> postgresZone(String setting) {
        return List.of("ALTER SYSTEM " + setting, "SELECT pg_reload_conf()");
    }

    /** Its tables of zones are empty when it is installed. */
    private List<String> mariaDbZone() {
        ZoneOffsetTransition last = ZONE.getRules().previousTransition(change);
        ZoneOffsetTransition next = ZONE.getRules().nextTransition(change.minusSeconds(1));
        return List.of(
                "REPLACE INTO mysql.time_zone (Time_zone_id, Use_leap_seconds) VALUES (1, 'N')",
                "REPLACE INTO mysql.time_zone_name (Name, Time_zone_id) VALUES ('" + ZONE + "', 1)",
                "REPLACE INTO mysql.time_zone_transition_type VALUES (1, 0, 7200, 1, 'CEST'), (1, 1, 3600, 0, 'CET')",
                "REPLACE INTO mysql.time_zone_transition VALUES " + row(last) + ", " + row(next),
                "SET GLOBAL time_zone = '" + ZONE + "'");
    }

    private static String row(ZoneOffsetTransition transition) {
        int type = transition.isGap() ? 0 : 1;
        return "(1, " + transition.toEpochSecond() + ", " + type + ")";
    }

    @Override
    public Injected inject(Scene scene) throws SQLException, InterruptedException {
        Bed bed = scene.bed();
        Duration left = Duration.between(time(bed), change.minus(SHORTLY));
        TimeUnit.MILLISECONDS.sleep(Math.max(0, left.toMillis()));
        Instant before = time(bed);
        return new Injected() {
            @Override
            public Evidence heal() throws SQLException {
                Instant after = time(bed);
                boolean isThrough = before.isBefore(change) && after.isAfter(change);
                return new Evidence(
                        isThrough ? 1 : 0,
                        "the server's clock went from " + before.atZone(ZONE) + " to " + after.atZone(ZONE));
            }

            @Override
            public void end() throws SQLException {
                setClock(bed, Instant.now());
                execute(
                        bed,
                        isMariaDb(bed) ? List.of("SET GLOBAL time_zone = 'SYSTEM'") : postgresZone("RESET timezone"));
            }
        };
    }

    private static boolean isMariaDb(Bed bed) {
        return bed.kind() == StoreKind.MARIADB;
    }

    private static void setClock(Bed bed, Instant to) throws SQLException {
        server(bed).moveClock(Duration.between(time(bed), to));
    }

    /** The server's time, whatever the zone of the session. */
    private static Instant time(Bed bed) throws SQLException {
        String sql = isMariaDb(bed) ? "SELECT unix_timestamp()" : "SELECT floor(extract(epoch FROM clock_timestamp()))";
        try (Connection connection = server(bed).connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return Instant.ofEpochSecond(row.getLong(1));
        }
    }

    private static void execute(Bed bed, List<String> commands) throws SQLException {
        try (Connection connection = server(bed).connect();
                Statement statement = connection.createStatement()) {
            for (String sql : commands) {
                statement.execute(sql);
            }
        }
    }

    private static SqlServer server(Bed bed) {
        return (SqlServer) bed.server().orElseThrow();
    }
}
