package dev.leasehold.faults;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Strangers who take every connection that a database has to give. Confined to one thread. */
final class Crowd implements AutoCloseable {
    private static final int MOST = 1_000;

    private final String url;
    private final List<Connection> taken = new ArrayList<>();

    Crowd(String url) {
        this.url = url;
    }

    /** Connects until the server refuses, and says how many connections that took. */
    int fill() {
        try {
            while (taken.size() < MOST) {
                taken.add(DriverManager.getConnection(url));
            }
        } catch (SQLException full) {
            return taken.size();
        }
        throw new IllegalStateException("The server has room for more than " + MOST + " connections.");
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection : taken) {
            connection.close();
        }
        taken.clear();
    }
}
