package dev.leasehold.servers;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/** A connection that keeps words, whatever the server. */
interface Session extends AutoCloseable {
    /** From now on, waits this long for an answer. */
    void waitAtMost(int millis) throws SQLException, IOException;

    void put(String word) throws SQLException, IOException;

    List<String> words() throws SQLException, IOException;

    @Override
    void close() throws SQLException, IOException;
}
