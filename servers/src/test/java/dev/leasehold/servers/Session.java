package dev.leasehold.servers;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/** A connection that keeps words, whatever the server. Waits for an answer half a second at most. */
interface Session extends AutoCloseable {
    int PATIENCE_MILLIS = 500;

    void put(String word) throws SQLException, IOException;

    List<String> words() throws SQLException, IOException;

    @Override
    void close() throws SQLException, IOException;
}
