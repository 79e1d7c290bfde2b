package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The floor on the user's own rows: hand-written statements, prepared once on a connection per thread. */
final class FloorRowsContestant implements Contestant.Keeps, Contestant.Runs {
    private static final String TABLE = "floor_jobs";

    @Override
    public String name() {
        return "floor";
    }

    @Override
    public boolean knows(StoreKind store) {
        return store == StoreKind.POSTGRES;
    }

    @Override
    public void createTables(Bed bed) throws SQLException {
        JobRows.create(bed, TABLE, name());
    }

    @Override
    public Node<Worker.Locker> locking(Bed bed, Cell cell) {
        return new Node<>(() -> new Statements(bed.source().getConnection()));
    }

    @Override
    public Node<Worker.Runner> running(Bed bed, Cell cell) {
        return new Node<>(() -> new Statements(bed.source().getConnection()));
    }

    @Override
    public Node<Worker.Keeper> keeping(Bed bed, Cell cell) {
        return new Node<>(() -> new FloorKeeper(new Renewals(bed.source().getConnection()), cell));
    }

    private static final class Statements implements Worker.Locker, Worker.Runner {
        private final Connection connection;
        private final PreparedStatement acquire;
        private final PreparedStatement release;
        private final PreparedStatement read;
        private final PreparedStatement finish;

        Statements(Connection connection) throws SQLException {
            this.connection = connection;
            this.acquire = connection.prepareStatement("UPDATE " + TABLE
                    + " SET locked_by = ?, locked_until = clock_timestamp() + interval '30 s',"
                    + " lock_fence = coalesce(lock_fence, 0) + 1"
                    + " WHERE id = ? AND (locked_until IS NULL OR locked_until <= clock_timestamp())"
                    + " RETURNING lock_fence");
            this.release = connection.prepareStatement(
                    "UPDATE " + TABLE + " SET locked_by = NULL, locked_until = NULL WHERE id = ? AND locked_by = ?");
            this.read = connection.prepareStatement("SELECT status, answer FROM " + TABLE + " WHERE id = ?");
            this.finish =
                    connection.prepareStatement("UPDATE " + TABLE + " SET status = 'READY', answer = id WHERE id = ?");
        }

        @Override
        public Optional<Worker.Hold> tryAcquire(String key) throws SQLException {
            String owner = Nonces.fresh();
            acquire.setString(1, owner);
            acquire.setString(2, key);
            try (ResultSet rows = acquire.executeQuery()) {
                return rows.next() && rows.getLong(1) > 0 ? Optional.of(() -> release(key, owner)) : Optional.empty();
            }
        }

        private void release(String key, String owner) throws SQLException {
            release.setString(1, key);
            release.setString(2, owner);
            release.executeUpdate();
        }

        @Override
        public String once(String key) throws SQLException {
            read.setString(1, key);
            try (ResultSet rows = read.executeQuery()) {
                if (rows.next() && "READY".equals(rows.getString(1))) {
                    return rows.getString(2);
                }
            }
            finish.setString(1, key);
            finish.executeUpdate();
            return key;
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    /** All leases have one owner. */
    private record Renewals(Connection connection, String owner) implements FloorKeeper.Renewals {
        Renewals(Connection connection) {
            this(connection, Nonces.fresh());
        }

        @Override
        public void take(List<String> keys) throws SQLException {
            update("locked_by = ?, locked_until = clock_timestamp() + interval '30 s' WHERE", keys);
        }

        @Override
        public int renew(List<String> keys) throws SQLException {
            return update("locked_until = clock_timestamp() + interval '30 s' WHERE locked_by = ? AND", keys);
        }

        private int update(String change, List<String> keys) throws SQLException {
            try (PreparedStatement update =
                    connection.prepareStatement("UPDATE " + TABLE + " SET " + change + " id = ANY (?)")) {
                update.setString(1, owner);
                update.setArray(2, connection.createArrayOf("text", keys.toArray()));
                return update.executeUpdate();
            }
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
