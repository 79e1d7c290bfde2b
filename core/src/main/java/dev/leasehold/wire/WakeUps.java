package dev.leasehold.wire;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Tells callers in line what happened to them. Every store object is a node with a name of its own; a place in line
 * says at which node its caller waits. What one node tells another is a line of text, whatever carries it:
 *
 * <pre>
 * H nonce fence waited remaining attempt key     the lease was handed over; times in microseconds
 * L nonce key                                    look again
 * </pre>
 *
 * <p>Safe for use by many threads.
 */
public final class WakeUps {
    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.wire");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String node;
    private final List<Consumer<WakeUp>> listeners = new CopyOnWriteArrayList<>();

    /** Of a new node. */
    public WakeUps() {
        this(HexFormat.of().toHexDigits(RANDOM.nextLong()));
    }

    WakeUps(String node) {
        this.node = node;
    }

    /** The name of this node: 16 hexadecimal digits. */
    public String node() {
        return node;
    }

    /** Whether that is the name of this node. */
    public boolean isOurs(String other) {
        return node.equals(other);
    }

    /** From now on the listener is told what this node is. */
    public Subscription subscribe(Consumer<WakeUp> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** Tells all listeners, each although another throws: the thread may be in the middle of a release. */
    public void tell(WakeUp wakeUp) {
        for (Consumer<WakeUp> listener : listeners) {
            try {
                listener.accept(wakeUp);
            } catch (RuntimeException | Error e) {
                LOGGER.log(System.Logger.Level.WARNING, "A listener for wake-ups threw", e);
            }
        }
    }

    /** Reads a message from another node; empty if it is of a kind that a newer version invented. */
    public static Optional<WakeUp> parse(String message) {
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
