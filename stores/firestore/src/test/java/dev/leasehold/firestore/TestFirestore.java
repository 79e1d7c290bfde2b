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

/** Our server with a clock that runs and can be moved, and clients on it. */
final class TestFirestore implements AutoCloseable {
    private static final TestFirestore PESSIMISTIC = new TestFirestore(Mode.PESSIMISTIC);
    private static final TestFirestore OPTIMISTIC = new TestFirestore(Mode.OPTIMISTIC);

    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
    final FirestoreServer server;

    /** A server of the test's own. */
    TestFirestore(Mode mode) {
        InstantSource clock = () -> Instant.now().plus(ahead.get());
        this.server = FirestoreServer.start(Settings.DEFAULT.withMode(mode).withClock(clock));
    }

    /** The server that all tests of this JVM share; they never move its clock, and use collections of their own. */
    static TestFirestore shared(Mode mode) {
        return mode == Mode.PESSIMISTIC ? PESSIMISTIC : OPTIMISTIC;
    }

    /** A client as a user would make it. The caller closes it. */
    Firestore client() {
        return FirestoreOptions.newBuilder()
                .setProjectId("test")
                .setEmulatorHost(server.host())
                .build()
                .getService();
    }

    /** A store's settings, on a client of its own. */
    FirestoreLeaseStoreBuilder builder() {
        return new FirestoreLeaseStoreBuilder("test", null).emulator(server.host());
    }

    /** Moves the server's clock. What it gives out never goes back; see {@link FirestoreUnderTest#setBack}. */
    void advance(Duration time) {
        ahead.updateAndGet(now -> now.plus(time));
    }

    @Override
    public void close() {
        server.close();
    }
}
