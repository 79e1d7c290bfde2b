package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The floor of W6: a claim and its answer, one statement each; a replay reads. It has no lease, fence or fingerprint. */
final class OnceFloorContestant implements Contestant {
    @Override
    public String name() {
        return "floor";
    }

    @Override
    public boolean takesPart(Cell cell, StoreKind store) {
        return cell == Cell.W6 || cell == Cell.W6_REPLAY;
    }

    @Override
    public void createTables(DataSource source, StoreKind store) throws SQLException {
        Sqls.run(
                source,
                switch (store) {
                    case POSTGRES ->
                        "CREATE TABLE floor_run (k text COLLATE \"C\" PRIMARY KEY, nonce text NOT NULL, answer text)"
                                + " WITH (fillfactor = 50)";
                    case MARIADB ->
                        "CREATE TABLE floor_run (k varbinary(512) PRIMARY KEY,"
                                + " nonce char(32) CHARACTER SET ascii NOT NULL, answer longblob) ENGINE=InnoDB";
                    case SQLITE ->
                        "CREATE TABLE floor_run (k TEXT NOT NULL PRIMARY KEY, nonce TEXT NOT NULL, answer TEXT)"
                                + " WITHOUT ROWID";
                });
    }

    @Override
    public Node open(DataSource source, StoreKind store, Cell cell) {
        return new Node() {
            @Override
            public Worker worker() throws SQLException {
                return new Runs(source.getConnection(), cell == Cell.W6);
            }

            @Override
            public void close() {}
        };
    }

    /** Knows beforehand whether the run is new, and so spares itself a look. */
    private static final class Runs implements Worker {
        private final Connection connection;
        private final boolean isNew;
        private final PreparedStatement claim;
        private final PreparedStatement end;
        private final PreparedStatement read;

        Runs(Connection connection, boolean isNew) throws SQLException {
            this.connection = connection;
            this.isNew = isNew;
            this.claim = connection.prepareStatement("INSERT INTO floor_run (k, nonce) VALUES (?, ?)");
            this.end = connection.prepareStatement("UPDATE floor_run SET answer = ? WHERE k = ? AND nonce = ?");
            this.read = connection.prepareStatement("SELECT answer FROM floor_run WHERE k = ?");
        }

        @Override
        public String once(String key) throws SQLException {
            return isNew ? run(key) : replay(key);
        }

        private String replay(String key) throws SQLException {
            read.setString(1, key);
            try (ResultSet rows = read.executeQuery()) {
                return rows.next() ? rows.getString(1) : run(key);
            }
        }

        private String run(String key) throws SQLException {
            String nonce = Nonces.fresh();
            claim.setString(1, key);
            claim.setString(2, nonce);
            claim.executeUpdate();
            end.setString(1, key);
            end.setString(2, key);
            end.setString(3, nonce);
            end.executeUpdate();
            return key;
        }

        @Override
        public java.util.Optional<Hold> tryAcquire(String key) {
            throw new UnsupportedOperationException("It locks nothing.");
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
