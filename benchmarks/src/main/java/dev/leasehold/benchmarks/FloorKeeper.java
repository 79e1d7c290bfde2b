package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The floor of keeping leases: all of them are renewed at once after a third of their time, with as few statements as
 * the store allows: one with an array on PostgreSQL, one for each thousand elsewhere.
 */
final class FloorKeeper implements Worker.Keeper {
    private static final int STEP = 1_000;

    private final Connection connection;
    private final StoreKind store;
    private final Cell cell;
    private final String nonce = Nonces.fresh();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final AtomicLong lost = new AtomicLong();
    private Future<?> renewing = CompletableFuture.completedFuture(null);
    private int kept;

    FloorKeeper(Connection connection, StoreKind store, Cell cell) {
        this.connection = connection;
        this.store = store;
        this.cell = cell;
    }

    @Override
    public void keep(List<String> keys) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO floor (k, nonce, fence, expiry) VALUES (?, ?, 1, " + later() + ")")) {
            for (String key : keys) {
                insert.setString(1, key);
                insert.setString(2, nonce);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        connection.commit();
        connection.setAutoCommit(true);
        long period = cell.ttl().toMillis() / 3;
        kept = keys.size();
        renewing = clock.scheduleAtFixedRate(() -> renew(keys), period, period, TimeUnit.MILLISECONDS);
    }

    private void renew(List<String> keys) {
        int step = store == StoreKind.POSTGRES ? keys.size() : STEP;
        int renewed = 0;
        try {
            for (int from = 0; from < keys.size(); from += step) {
                renewed += renewStep(keys.subList(from, Math.min(keys.size(), from + step)));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } finally {
            lost.set(keys.size() - renewed);
        }
    }

    private int renewStep(List<String> keys) throws SQLException {
        boolean hasArrays = store == StoreKind.POSTGRES;
        String among = hasArrays ? "= ANY (?)" : "IN (?" + ", ?".repeat(keys.size() - 1) + ")";
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE floor SET expiry = " + later() + " WHERE nonce = ? AND k " + among)) {
            update.setString(1, nonce);
            if (hasArrays) {
                update.setArray(2, connection.createArrayOf("text", keys.toArray()));
            }
            for (int i = 0; !hasArrays && i < keys.size(); i++) {
                update.setString(2 + i, keys.get(i));
            }
            return update.executeUpdate();
        }
    }

    private String later() {
        return switch (store) {
            case POSTGRES -> "clock_timestamp() + interval '30 s'";
            case MARIADB -> "utc_timestamp(6) + INTERVAL 30 SECOND";
            case SQLITE -> "unixepoch('subsec') + 30";
        };
    }

    @Override
    public long lost() {
        // A renewal that failed was the last.
        return renewing.isDone() ? kept : lost.get();
    }

    @Override
    public void close() throws SQLException {
        clock.shutdownNow();
        connection.close();
    }
}
