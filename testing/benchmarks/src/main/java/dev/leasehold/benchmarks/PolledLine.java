package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The floor of W3 where the store cannot call: a table of those who wait, a release that hands the lease to the first of
 * them in one transaction, and waiters that look again and again whether it is theirs.
 */
final class PolledLine implements Worker.Waiter {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Connection connection;
    private final FloorStatements floor;
    private final PreparedStatement stand;
    private final PreparedStatement look;
    private final PreparedStatement first;
    private final PreparedStatement leave;
    private final PreparedStatement give;
    private final PreparedStatement free;

    PolledLine(Connection connection, StoreKind store) throws SQLException {
        String now = store == StoreKind.MARIADB ? "utc_timestamp(6)" : "unixepoch('subsec')";
        String later = now + (store == StoreKind.MARIADB ? " + INTERVAL 30 SECOND" : " + 30");
        this.connection = connection;
        this.floor = new FloorStatements(connection, store, Cell.W3);
        this.stand = connection.prepareStatement("INSERT INTO floor_line (k, nonce) VALUES (?, ?)");
        this.look = connection.prepareStatement("SELECT nonce FROM floor WHERE k = ? AND expiry > " + now);
        this.first = connection.prepareStatement("SELECT nonce FROM floor_line WHERE k = ? ORDER BY id LIMIT 1");
        this.leave = connection.prepareStatement("DELETE FROM floor_line WHERE nonce = ?");
        this.give = connection.prepareStatement(
                "UPDATE floor SET nonce = ?, fence = fence + 1, expiry = " + later + " WHERE k = ?");
        this.free = connection.prepareStatement("UPDATE floor SET nonce = NULL, expiry = " + now + " WHERE k = ?");
    }

    static String[] tables(StoreKind store) {
        String number =
                store == StoreKind.MARIADB ? "bigint AUTO_INCREMENT PRIMARY KEY" : "INTEGER PRIMARY KEY AUTOINCREMENT";
        return new String[] {
            "CREATE TABLE IF NOT EXISTS floor_line (id " + number
                    + ", k varchar(512) NOT NULL, nonce char(32) NOT NULL, UNIQUE (nonce))",
            "CREATE INDEX IF NOT EXISTS floor_line_key ON floor_line (k, id)"
        };
    }

    @Override
    public Hold acquire(String key) throws SQLException {
        String nonce = Nonces.fresh();
        stand.setString(1, key);
        stand.setString(2, nonce);
        stand.executeUpdate();
        while (true) {
            Optional<String> holder = nonceIn(look, key);
            if (holder.isPresent() && holder.get().equals(nonce)) {
                return () -> handOver(key);
            }
            // Free only if it was released just before we stood in line, or never held.
            if (holder.isEmpty() && floor.tryAcquire(key).isPresent()) {
                leave(nonce);
                return () -> handOver(key);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static Optional<String> nonceIn(PreparedStatement statement, String key) throws SQLException {
        statement.setString(1, key);
        try (ResultSet rows = statement.executeQuery()) {
            return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
        }
    }

    private void leave(String nonce) throws SQLException {
        leave.setString(1, nonce);
        leave.executeUpdate();
    }

    private void handOver(String key) throws SQLException {
        connection.setAutoCommit(false);
        Optional<String> next = nonceIn(first, key);
        if (next.isPresent()) {
            leave(next.get());
            give.setString(1, next.get());
            give.setString(2, key);
            give.executeUpdate();
        } else {
            free.setString(1, key);
            free.executeUpdate();
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
