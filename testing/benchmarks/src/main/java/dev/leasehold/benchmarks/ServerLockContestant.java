package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * The lock that the server itself has: PostgreSQL's advisory lock, MariaDB's GET_LOCK. It lives in memory, ends with
 * its connection and has no fence and no expiry, so it is no lease; it shows how fast a queue inside the server is.
 */
final class ServerLockContestant implements Contestant.Waits {
    @Override
    public String name() {
        return "server-lock";
    }

    @Override
    public boolean knows(StoreKind store) {
        return store == StoreKind.POSTGRES || store == StoreKind.MARIADB;
    }

    @Override
    public Node<Worker.Waiter> waiting(Bed bed, Cell cell) {
        String lock = bed.store == StoreKind.POSTGRES
                ? "SELECT pg_advisory_lock(hashtextextended(?, 0))"
                : "SELECT GET_LOCK(?, 120)";
        String unlock = bed.store == StoreKind.POSTGRES
                ? "SELECT pg_advisory_unlock(hashtextextended(?, 0))"
                : "SELECT RELEASE_LOCK(?)";
        return new Node<>(() -> new Line(bed.source().getConnection(), lock, unlock));
    }

    private static final class Line implements Worker.Waiter {
        private final Connection connection;
        private final PreparedStatement lock;
        private final PreparedStatement unlock;

        Line(Connection connection, String lock, String unlock) throws SQLException {
            this.connection = connection;
            this.lock = connection.prepareStatement(lock);
            this.unlock = connection.prepareStatement(unlock);
        }

        @Override
        public Hold acquire(String key) throws SQLException {
            run(lock, key);
            return () -> run(unlock, key);
        }

        private static void run(PreparedStatement statement, String key) throws SQLException {
            statement.setString(1, key);
            statement.executeQuery().close();
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
