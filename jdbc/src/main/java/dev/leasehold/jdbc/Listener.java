package dev.leasehold.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Waits on a connection of its own for what other nodes tell this one. If the connection breaks it is made anew; what
 * was told meanwhile is lost, and found by polling.
 */
final class Listener implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.jdbc");
    private static final int BEAT_MILLIS = 500;
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final DataSource source;
    private final WakeUps wakeUps;
    private final Thread thread;
    private final CompletableFuture<Boolean> first = new CompletableFuture<>();
    private volatile boolean isClosed;
    private volatile @Nullable Connection connection;

    private Listener(DataSource source, WakeUps wakeUps) {
        this.source = source;
        this.wakeUps = wakeUps;
        this.thread = new Thread(this::listen, "leasehold-wake-ups");
        thread.setDaemon(true);
    }

    /**
     * Starts listening, or gives {@code null} if it cannot be had; callers then poll more often. It connects on its own
     * thread, since the calling one may be in a transaction that a framework has bound to it.
     */
    static @Nullable Listener start(DataSource source, WakeUps wakeUps, Duration atMost) {
        Listener listener = new Listener(source, wakeUps);
        listener.thread.start();
        try {
            listener.first.orTimeout(atMost.toNanos(), TimeUnit.NANOSECONDS).join();
        } catch (CompletionException e) {
            listener.close();
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "No wake-ups from PostgreSQL, so callers in line poll more often: {0}",
                    e.getCause());
            return null;
        }
        return listener;
    }

    private PGConnection connect() throws SQLException {
        Connection fresh = source.getConnection();
        connection = fresh;
        fresh.setAutoCommit(true);
        try (Statement statement = fresh.createStatement()) {
            statement.execute("LISTEN leasehold_" + wakeUps.node()); // Hexadecimal digits of our own.
        }
        return fresh.unwrap(PGConnection.class);
    }

    private void listen() {
        @Nullable PGConnection open = null;
        while (!isClosed) {
            try {
                if (open == null) {
                    open = connect();
                    first.complete(true);
                }
                deliver(open.getNotifications(BEAT_MILLIS));
            } catch (SQLException e) {
                closeConnection();
                open = null;
                if (first.completeExceptionally(e)) {
                    return;
                }
                if (!isClosed) {
                    LOGGER.log(
                            System.Logger.Level.DEBUG, "Wake-ups from PostgreSQL are interrupted: {0}", e.getMessage());
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        }
        closeConnection();
    }

    private void deliver(PGNotification @Nullable [] notifications) {
        if (notifications == null) {
            return;
        }
        for (PGNotification notification : notifications) {
            try {
                WakeUps.parse(notification.getParameter()).ifPresent(wakeUps::tell);
            } catch (RuntimeException e) {
                LOGGER.log(System.Logger.Level.DEBUG, "A wake-up could not be read", e);
            }
        }
    }

    private void closeConnection() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException e) {
                LOGGER.log(System.Logger.Level.DEBUG, "Closing a broken connection failed", e);
            }
        }
    }

    @Override
    public void close() {
        isClosed = true;
        closeConnection();
        LockSupport.unpark(thread);
    }
}
