package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** {@link FloorSql}, prepared on one connection. */
final class FloorStatements implements Worker.Locker {
    private final Connection connection;
    private final boolean isGuarded;
    private final long ttlMicros;
    private final boolean insertsSeparately;
    private final PreparedStatement acquire;
    private final PreparedStatement insert;
    private final PreparedStatement release;
    private final PreparedStatement guard;

    static FloorStatements on(Bed bed, Cell cell) throws SQLException {
        return new FloorStatements(bed.source().getConnection(), bed.store, cell);
    }

    FloorStatements(Connection connection, StoreKind store, Cell cell) throws SQLException {
        FloorSql sql = FloorSql.of(store);
        this.connection = connection;
        this.isGuarded = cell == Cell.W4;
        this.ttlMicros = TimeUnit.SECONDS.toMicros(cell.ttl().toSeconds());
        this.insertsSeparately = !sql.insert().isEmpty();
        this.acquire = insertsSeparately
                ? connection.prepareStatement(sql.acquire(), Statement.RETURN_GENERATED_KEYS)
                : connection.prepareStatement(sql.acquire());
        this.insert = connection.prepareStatement(insertsSeparately ? sql.insert() : sql.acquire());
        this.release = connection.prepareStatement(sql.release());
        this.guard = connection.prepareStatement(sql.guard());
    }

    @Override
    public Optional<Hold> tryAcquire(String key) throws SQLException {
        if (isGuarded && isHeld(key)) {
            return Optional.empty();
        }
        String nonce = Nonces.fresh();
        boolean isGranted = insertsSeparately ? updateOrInsert(key, nonce) : upsert(key, nonce);
        return isGranted ? Optional.of(() -> release(key, nonce)) : Optional.empty();
    }

    private boolean isHeld(String key) throws SQLException {
        guard.setString(1, key);
        try (ResultSet rows = guard.executeQuery()) {
            return rows.next();
        }
    }

    private boolean upsert(String key, String nonce) throws SQLException {
        acquire.setString(1, key);
        acquire.setString(2, nonce);
        acquire.setLong(3, ttlMicros);
        try (ResultSet rows = acquire.executeQuery()) {
            return rows.next() && rows.getLong(1) > 0;
        }
    }

    private boolean updateOrInsert(String key, String nonce) throws SQLException {
        if (change(acquire, key, nonce) == 0) {
            return change(insert, key, nonce) > 0;
        }
        try (ResultSet fence = acquire.getGeneratedKeys()) {
            return fence.next() && fence.getLong(1) > 0;
        }
    }

    private int change(PreparedStatement statement, String key, String nonce) throws SQLException {
        statement.setString(1, nonce);
        statement.setLong(2, ttlMicros);
        statement.setString(3, key);
        return statement.executeUpdate();
    }

    private void release(String key, String nonce) throws SQLException {
        release.setString(1, key);
        release.setString(2, nonce);
        release.executeUpdate();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
