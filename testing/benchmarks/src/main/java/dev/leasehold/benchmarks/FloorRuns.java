package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The floor of W6: a claim and its answer, one statement each; a replay reads. It has no lease, fence or fingerprint, and
 * knows beforehand whether the run is new, and so spares itself a look.
 */
final class FloorRuns implements Worker.Runner {
    private final Connection connection;
    private final boolean isNew;
    private final PreparedStatement claim;
    private final PreparedStatement end;
    private final PreparedStatement read;

    FloorRuns(Connection connection, boolean isNew) throws SQLException {
        this.connection = connection;
        this.isNew = isNew;
        this.claim = connection.prepareStatement("INSERT INTO floor_run (k, nonce) VALUES (?, ?)");
        this.end = connection.prepareStatement("UPDATE floor_run SET answer = ? WHERE k = ? AND nonce = ?");
        this.read = connection.prepareStatement("SELECT answer FROM floor_run WHERE k = ?");
    }

    static String table(StoreKind store) {
        return switch (store) {
            case POSTGRES ->
                "CREATE TABLE IF NOT EXISTS floor_run (k text COLLATE \"C\" PRIMARY KEY, nonce text NOT NULL, answer text)"
                        + " WITH (fillfactor = 50)";
            case MARIADB ->
                "CREATE TABLE IF NOT EXISTS floor_run (k varbinary(512) PRIMARY KEY,"
                        + " nonce char(32) CHARACTER SET ascii NOT NULL, answer longblob) ENGINE=InnoDB";
            case SQLITE ->
                "CREATE TABLE IF NOT EXISTS floor_run (k TEXT NOT NULL PRIMARY KEY, nonce TEXT NOT NULL, answer TEXT)"
                        + " WITHOUT ROWID";
            case REDIS, FIRESTORE -> throw store.speaksNoSql();
        };
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
    public void close() throws SQLException {
        connection.close();
    }
}
