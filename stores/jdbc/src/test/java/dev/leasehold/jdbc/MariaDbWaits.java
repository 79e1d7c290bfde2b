package dev.leasehold.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;

/**
 * The sessions of MariaDB that others wait for. InnoDB shows its lock waits from a copy that it renews only if nobody
 * has looked at it for 100 ms. So all rivals share one look.
 */
final class MariaDbWaits {
    private static final long PAUSE_NANOS = 105_000_000;

    private static Set<String> blockers = Set.of();
    private static long looked = System.nanoTime();

    private MariaDbWaits() {}

    /** Whether a look that began after this moment shows a session that waits for this one. */
    static synchronized boolean isWaitedFor(Connection connection, String number, long begun) throws SQLException {
        long now = System.nanoTime();
        if (now - looked > PAUSE_NANOS) {
            Set<String> seen = new HashSet<>();
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(
                            "SELECT t.trx_mysql_thread_id FROM information_schema.innodb_lock_waits w"
                                    + " JOIN information_schema.innodb_trx t ON t.trx_id = w.blocking_trx_id")) {
                while (rows.next()) {
                    seen.add(rows.getString(1));
                }
            }
            blockers = seen;
            looked = System.nanoTime();
        }
        return looked - begun > 0 && blockers.contains(number);
    }
}
