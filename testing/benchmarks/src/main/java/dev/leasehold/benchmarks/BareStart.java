package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The floor of W8: a JVM that opens a database, takes a lock by hand and gives it back. It loads nothing else, and runs
 * no command.
 */
public final class BareStart {
    private BareStart() {}

    /** The URL, the statements that take and give back, and the key; user and password come by the environment. */
    public static void main(String[] arguments) throws SQLException {
        String nonce = Long.toHexString(System.nanoTime());
        try (Connection connection = DriverManager.getConnection(
                        arguments[0], System.getenv("USER_NAME"), System.getenv("PASSWORD"));
                PreparedStatement acquire = connection.prepareStatement(arguments[1]);
                PreparedStatement release = connection.prepareStatement(arguments[2])) {
            acquire.setString(1, arguments[3]);
            acquire.setString(2, nonce);
            acquire.setLong(3, 300_000_000);
            try (ResultSet fence = acquire.executeQuery()) {
                if (!fence.next()) {
                    System.exit(1);
                }
            }
            release.setString(1, arguments[3]);
            release.setString(2, nonce);
            release.executeUpdate();
        }
    }
}
