package dev.leasehold.jdbc;

import dev.leasehold.wire.WakeUps;
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
    private final Duration atMost;
    private @Nullable CompletableFuture<Boolean> first;
    private volatile boolean isClosed;
    private volatile @Nullable Connection connection;

    /** @param atMost how long the first connection may take */
    Listener(DataSource source, WakeUps wakeUps, Duration atMost) {
        this.source = source;
        this.wakeUps = wakeUps;
        this.atMost = atMost;
    }

    /**
     * Whether this node can be told; if not, callers poll more often. The first call connects, since most processes never
     * wait for a lease, and does so on a thread of its own, since the calling one may be in a transaction that a framework
     * has bound to it.
     */
    synchronized boolean isListening() {
        CompletableFuture<Boolean> begun = first;
        if (begun == null) {
            begun = begin();
        }
        try {
            return begun.orTimeout(atMost.toNanos(), TimeUnit.NANOSECONDS).join();
        } catch (CompletionException e) {
            first = null;
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "No wake-ups from PostgreSQL, so callers in line poll more often: {0}",
                    e.getCause());
            return false;
        }
    }

    private CompletableFuture<Boolean> begin() {
        CompletableFuture<Boolean> begun = new CompletableFuture<>();
        first = begun;
        Thread thread = new Thread(() -> listen(begun), "leasehold-wake-ups");
        thread.setDaemon(true);
        thread.start();
        return begun;
    }

    private Connection connect() throws SQLException {
        Connection fresh = source.getConnection();
        boolean isReady = false;
        try (Statement statement = fresh.createStatement()) {
            fresh.setAutoCommit(true);
            statement.execute("LISTEN leasehold_" + wakeUps.node()); // Hexadecimal digits of our own.
            isReady = true;
            return fresh;
        } finally {
            if (!isReady) {
                close(fresh);
            }
        }
    }

    private void listen(CompletableFuture<Boolean> begun) {
        while (!isClosed) {
            try {
                Connection fresh = connect();
                if (!begun.complete(true) && begun.isCompletedExceptionally()) {
                    close(fresh); // It took too long, and nobody counts on it any more.
                    return;
                }
                connection = fresh;
                PGConnection told = fresh.unwrap(PGConnection.class);
                while (!isClosed) {
                    deliver(told.getNotifications(BEAT_MILLIS));
                }
            } catch (SQLException e) {
                closeConnection();
                if (begun.completeExceptionally(e) || begun.isCompletedExceptionally()) {
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
            close(open);
        }
    }

    private static void close(Connection open) {
        try {
            open.close();
        } catch (SQLException e) {
            LOGGER.log(System.Logger.Level.DEBUG, "Closing a broken connection failed", e);
        }
    }

    @Override
    public void close() {
        isClosed = true;
        closeConnection();
    }
}
