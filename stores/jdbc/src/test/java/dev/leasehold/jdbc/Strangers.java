package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import dev.leasehold.tck.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/**
 * Transactions of others that lock a record for a few milliseconds and change nothing. The store's statements queue up
 * behind them, each with what it saw when it began. Without that, such a race is met once in a million calls.
 */
final class Strangers {
    private Strangers() {}

    /** Locks one of these records after another, until it is closed. */
    static AutoCloseable lock(Kind kind, DataSource source, List<Key> keys) {
        AtomicBoolean isOver = new AtomicBoolean();
        Threads.Running<Boolean> stranger = Threads.start(() -> {
            while (!isOver.get()) {
                Key key = keys.get(ThreadLocalRandom.current().nextInt(keys.size()));
                try (Connection connection = begin(kind, source, key)) {
                    pause();
                    connection.rollback();
                }
                pause();
            }
            return true;
        });
        return () -> {
            isOver.set(true);
            stranger.get();
        };
    }

    /** SQLite locks no rows but the whole database, and only for who writes. */
    private static Connection begin(Kind kind, DataSource source, Key key) throws SQLException {
        if (kind != Kind.SQLITE) {
            return Sessions.lockRow(source, key);
        }
        Connection connection = Sessions.begin(source);
        Sessions.execute(connection, "UPDATE leasehold_schema SET version = version");
        return connection;
    }

    private static void pause() {
        Threads.pause(Duration.ofNanos(ThreadLocalRandom.current().nextInt(12_000_000)));
    }
}
