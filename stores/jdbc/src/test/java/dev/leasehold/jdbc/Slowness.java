package dev.leasehold.jdbc;

import dev.leasehold.tck.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.h2.api.Trigger;

/**
 * Lets the statements of a store sleep now and then while they have a row locked. That widens the races between what a
 * statement sees when it begins and what it finds when it gets the lock. Without it they are met once in a million calls.
 */
final class Slowness {
    private static final int LONGEST_MILLIS = 12;

    private Slowness() {}

    /** Puts it on Leasehold's own tables of this database, for good. */
    static void install(DataSource source) throws SQLException {
        install(source, "leasehold_lease");
        install(source, "leasehold_line");
    }

    static void install(DataSource source, String table) throws SQLException {
        try (Connection connection = source.getConnection()) {
            for (String event : new String[] {"INSERT", "UPDATE", "DELETE"}) {
                String name = "slow_" + table + "_" + event.toLowerCase(Locale.ROOT);
                switch (Dialect.of(connection.getMetaData().getDatabaseProductName())) {
                    case POSTGRESQL -> postgres(connection, name, event, table);
                    case H2 ->
                        Sessions.execute(
                                connection,
                                "CREATE TRIGGER " + name + " AFTER " + event + " ON " + table + " FOR EACH ROW CALL '"
                                        + Sleep.class.getName() + "'");
                    // A trigger takes away the number that MySQL's updates give back, by which the store learns things.
                    case MYSQL, SQLITE -> throw new IllegalArgumentException("Triggers do not sleep here: " + table);
                }
            }
        }
    }

    private static void postgres(Connection connection, String name, String event, String table) throws SQLException {
        Sessions.execute(connection, """
                CREATE OR REPLACE FUNCTION sleep_now_and_then() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF random() < 0.25 THEN
                        PERFORM pg_sleep(random() * %s);
                    END IF;
                    RETURN NULL;
                END $$""".formatted(LONGEST_MILLIS / 1e3));
        Sessions.execute(
                connection,
                "CREATE TRIGGER " + name + " AFTER " + event + " ON " + table
                        + " FOR EACH ROW EXECUTE FUNCTION sleep_now_and_then()");
    }

    /** What H2 calls. */
    public static final class Sleep implements Trigger {
        @Override
        public void fire(Connection connection, Object[] before, Object[] after) {
            if (ThreadLocalRandom.current().nextInt(4) == 0) {
                Threads.pause(Duration.ofNanos(ThreadLocalRandom.current().nextInt(LONGEST_MILLIS * 1_000_000)));
            }
        }
    }
}
