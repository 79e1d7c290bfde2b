package dev.leasehold.jdbc;

import dev.leasehold.wire.Listener;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Hears NOTIFY on a connection of its own. */
final class PostgresChannel implements Listener.Channel {
    private static final int BEAT_MILLIS = 250;

    private final DataSource source;
    private final String channel;
    private final Duration patience;
    private volatile boolean isDoubted;

    /** @param patience how long to wait for an answer, and how long to trust one */
    PostgresChannel(DataSource source, String node, Duration patience) {
        this.source = source;
        this.channel = "leasehold_" + node; // Hexadecimal digits of our own.
        this.patience = patience;
    }

    @Override
    public void hear(Listener.Ear ear) throws SQLException {
        try (Loan loan = Loan.from(source)) {
            loan.setAutoCommit(true);
            loan.setNetworkTimeout(Math.toIntExact(patience.toMillis()));
            PGConnection told = loan.connection().unwrap(PGConnection.class);
            loan.undoBy(() -> {
                loan.execute("UNLISTEN " + channel);
                told.getNotifications(); // Those that came too late are not for the next user of the connection.
            });
            loan.execute("LISTEN " + channel);
            hear(loan, told, ear);
        }
    }

    private void hear(Loan loan, PGConnection told, Listener.Ear ear) throws SQLException {
        long sure = System.nanoTime();
        while (ear.isOpen()) {
            deliver(told.getNotifications(BEAT_MILLIS), ear);
            long now = System.nanoTime();
            if (isDoubted && now - sure > patience.toNanos()) {
                isDoubted = false;
                sure = now;
                loan.execute("LISTEN " + channel); // Changes nothing, but has to be answered.
            }
        }
    }

    private static void deliver(PGNotification @Nullable [] notifications, Listener.Ear ear) {
        if (notifications != null) {
            for (PGNotification notification : notifications) {
                ear.told(notification.getParameter());
            }
        }
    }

    @Override
    public void examine() {
        isDoubted = true;
    }

    /** Nothing to do: it waits for a beat at most, and for an answer no longer than its patience. */
    @Override
    public void end() {}
}
