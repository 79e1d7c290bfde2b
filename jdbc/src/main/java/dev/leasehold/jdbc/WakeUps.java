package dev.leasehold.jdbc;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Tells callers in line what happened to them. Every store object is a node with a name of its own; a place in line
 * says at which node its caller waits. Callers of this node are told directly, those of others by NOTIFY.
 */
final class WakeUps {
    private static final Sql NOTIFY = Sql.of("SELECT pg_notify('leasehold_' || :node, :message)");

    private final String node;
    private final List<Consumer<WakeUp>> listeners = new CopyOnWriteArrayList<>();

    WakeUps(String node) {
        this.node = node;
    }

    /** The name of this node: 16 hexadecimal digits. */
    String node() {
        return node;
    }

    boolean isOurs(String other) {
        return node.equals(other);
    }

    Subscription subscribe(Consumer<WakeUp> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    void tell(WakeUp wakeUp) {
        listeners.forEach(listener -> listener.accept(wakeUp));
    }

    /** Somebody in line, and where they wait. */
    private record Waiter(Nonce nonce, String node) {}

    /** Sends everybody in line away, to look for themselves. */
    void dissolve(Lane lane, Statements statements, Key key) throws SQLException {
        Parameters parameters = lane.parameters().key("k", key);
        List<Waiter> waiters = lane.query(
                statements.line,
                parameters,
                row -> new Waiter(Nonce.parse(row.getString("nonce")), row.getString("node")));
        if (waiters.isEmpty()) {
            return;
        }
        lane.update(statements.clearLine, parameters);
        for (Waiter waiter : waiters) {
            if (isOurs(waiter.node())) {
                tell(new WakeUp.LookAgain(key, waiter.nonce()));
            } else if (lane.dialect == Dialect.POSTGRESQL) {
                Parameters message = lane.parameters()
                        .text("node", waiter.node())
                        .text("message", "L " + waiter.nonce() + " " + key);
                lane.query(NOTIFY, message, row -> waiter);
            }
        }
    }

    /** Reads a message from another node; empty if it is of a kind that a newer version invented. */
    static Optional<WakeUp> parse(String message) {
        String[] words = message.split(" ", 3);
        Nonce nonce = Nonce.parse(words[1]);
        if (words[0].equals("L")) {
            return Optional.of(new WakeUp.LookAgain(Key.of(words[2]), nonce));
        }
        if (!words[0].equals("H")) {
            return Optional.empty();
        }
        String[] rest = words[2].split(" ", 5);
        LeaseRef lease = new LeaseRef(Key.of(rest[4]), nonce, Fence.of(Long.parseLong(rest[0])));
        return Optional.of(new WakeUp.HandedOver(
                lease,
                Micros.toDuration(Long.parseLong(rest[1])),
                Micros.toDuration(Long.parseLong(rest[2])),
                Integer.parseInt(rest[3])));
    }
}
