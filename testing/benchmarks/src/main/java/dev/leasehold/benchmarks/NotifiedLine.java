package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * The floor of W3 on PostgreSQL: a table of those who wait, and a release that hands the lease to the first of them and
 * notifies its node, all in one statement. Standing in line may wait for the disk or not: a lost place costs a poll
 * and nothing else. One connection does everything: a node that waits has nothing else to ask.
 */
final class NotifiedLine implements Worker.Waiter {
    /** How often to look although nobody has said anything: a release may just have missed us. */
    private static final int POLL_MILLIS = 100;

    private final Connection connection;
    private final PGConnection notified;
    private final String node = Nonces.fresh();
    private final PreparedStatement stand;
    private final PreparedStatement take;
    private final PreparedStatement leave;
    private final PreparedStatement handOver;

    NotifiedLine(Connection connection, boolean isLineDurable) throws SQLException {
        this.connection = connection;
        this.notified = connection.unwrap(PGConnection.class);
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN floor_" + node);
        }
        this.stand = connection.prepareStatement(
                "WITH c AS (SELECT set_config('synchronous_commit', '" + (isLineDurable ? "on" : "off")
                        + "', true)) INSERT INTO floor_line (k, nonce, node) SELECT ?, ?, ? FROM c");
        this.take = connection.prepareStatement("INSERT INTO floor AS l (k, nonce, fence, expiry)"
                + " SELECT ?, ?, 1, clock_timestamp() + interval '30 s'"
                + " WHERE NOT EXISTS (SELECT 1 FROM floor WHERE k = ? AND expiry > clock_timestamp())"
                + " ON CONFLICT (k) DO UPDATE SET nonce = excluded.nonce, fence = l.fence + 1,"
                + " expiry = excluded.expiry WHERE l.expiry <= clock_timestamp() RETURNING fence");
        this.leave = connection.prepareStatement("DELETE FROM floor_line WHERE nonce = ?");
        this.handOver = connection.prepareStatement("WITH f AS (SELECT id FROM floor_line WHERE k = ?"
                + " ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED),"
                + " d AS (DELETE FROM floor_line w USING f WHERE w.id = f.id RETURNING w.nonce, w.node),"
                + " u AS (UPDATE floor l SET nonce = d.nonce,"
                + " fence = l.fence + CASE WHEN d.nonce IS NULL THEN 0 ELSE 1 END,"
                + " expiry = CASE WHEN d.nonce IS NULL THEN '-infinity' ELSE clock_timestamp() + interval '30 s' END"
                + " FROM (SELECT 1) one LEFT JOIN d ON true WHERE l.k = ? AND l.nonce = ?"
                + " RETURNING l.fence, d.nonce AS nonce, d.node AS node)"
                + " SELECT pg_notify('floor_' || node, nonce || ' ' || fence) FROM u WHERE node IS NOT NULL");
    }

    static String[] tables() {
        return new String[] {
            "CREATE TABLE IF NOT EXISTS floor_line (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                    + " k text COLLATE \"C\" NOT NULL, nonce text COLLATE \"C\" NOT NULL, node text NOT NULL)",
            "CREATE INDEX IF NOT EXISTS floor_line_key ON floor_line (k, id)",
            "CREATE INDEX IF NOT EXISTS floor_line_nonce ON floor_line (nonce)"
        };
    }

    @Override
    public Hold acquire(String key) throws SQLException {
        String nonce = Nonces.fresh();
        stand.setString(1, key);
        stand.setString(2, nonce);
        stand.setString(3, node);
        stand.executeUpdate();
        while (!takes(key, nonce)) {
            if (isTold(nonce)) {
                return () -> release(key, nonce);
            }
        }
        leave.setString(1, nonce);
        leave.executeUpdate();
        return () -> release(key, nonce);
    }

    private boolean takes(String key, String nonce) throws SQLException {
        take.setString(1, key);
        take.setString(2, nonce);
        take.setString(3, key);
        try (ResultSet rows = take.executeQuery()) {
            return rows.next();
        }
    }

    private boolean isTold(String nonce) throws SQLException {
        PGNotification[] told = notified.getNotifications(POLL_MILLIS);
        if (told != null) {
            for (PGNotification one : told) {
                if (one.getParameter().startsWith(nonce)) {
                    return true;
                }
            }
        }
        return false;
    }

    private void release(String key, String nonce) throws SQLException {
        handOver.setString(1, key);
        handOver.setString(2, key);
        handOver.setString(3, nonce);
        handOver.executeQuery().close();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
