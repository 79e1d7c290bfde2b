package dev.leasehold.firestore;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import dev.leasehold.servers.firestore.FirestoreServer;
import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.servers.firestore.Settings;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A server, and clients on it: ours, with a clock that runs and can be moved, or the one that {@code FIRESTORE_EMULATOR_HOST}
 * names. Tests that need power over the server, for its faults, its clock or its mode, start ours in either case.
 */
final class TestFirestore implements AutoCloseable {
    private static final @Nullable String ELSEWHERE = System.getenv("FIRESTORE_EMULATOR_HOST");

    private static final TestFirestore PESSIMISTIC =
            ELSEWHERE == null ? new TestFirestore(Mode.PESSIMISTIC) : new TestFirestore(ELSEWHERE);
    private static final TestFirestore OPTIMISTIC = new TestFirestore(Mode.OPTIMISTIC);

    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
    private final String host;
    /** None if the server is not ours. */
    final @Nullable FirestoreServer server;

    /** A server of the test's own. */
    TestFirestore(Mode mode) {
        InstantSource clock = () -> Instant.now().plus(ahead.get());
        this.server = FirestoreServer.start(Settings.DEFAULT.withMode(mode).withClock(clock));
        this.host = server.host();
    }

    private TestFirestore(String host) {
        this.server = null;
        this.host = host;
    }

    /**
     * The server that all tests of this JVM share; they never move its clock, and use collections of their own. Only the
     * pessimistic one can be another than ours: the mode of others cannot be chosen.
     */
    static TestFirestore shared(Mode mode) {
        return mode == Mode.PESSIMISTIC ? PESSIMISTIC : OPTIMISTIC;
    }

    /** A client as a user would make it. The caller closes it. */
    Firestore client() {
        return FirestoreOptions.newBuilder()
                .setProjectId("test")
                .setEmulatorHost(host)
                .build()
                .getService();
    }

    /** A store's settings, on a client of its own. */
    FirestoreLeaseStoreBuilder builder() {
        return new FirestoreLeaseStoreBuilder("test", null).emulator(host);
    }

    /** Moves the server's clock. What it gives out never goes back; see {@link FirestoreUnderTest#setBack}. */
    void advance(Duration time) {
        ahead.updateAndGet(now -> now.plus(time));
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
    }
}
