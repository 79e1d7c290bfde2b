package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Many leases renewed by one statement with an array on PostgreSQL, and by one for each thousand elsewhere. */
final class SqlRenewals implements FloorKeeper.Renewals {
    private static final int STEP = 1_000;

    private final Connection connection;
    private final StoreKind store;
    private final String nonce = Nonces.fresh();

    SqlRenewals(Connection connection, StoreKind store) {
        this.connection = connection;
        this.store = store;
    }

    @Override
    public void take(List<String> keys) throws SQLException {
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
    }

    @Override
    public int renew(List<String> keys) throws SQLException {
        int step = store == StoreKind.POSTGRES ? keys.size() : STEP;
        int renewed = 0;
        for (int from = 0; from < keys.size(); from += step) {
            renewed += renewStep(keys.subList(from, Math.min(keys.size(), from + step)));
        }
        return renewed;
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
            case REDIS, FIRESTORE -> throw store.speaksNoSql();
        };
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
