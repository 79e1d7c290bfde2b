package dev.leasehold.tck;

import dev.leasehold.store.LeaseStore;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A store whose records a server keeps, as {@link RemoteStoreContract} reaches it. */
public interface RemoteUnderTest {
    /** Where the server listens, which must not be by TLS. */
    InetSocketAddress server();

    /**
     * A store on the same records.
     *
     * @param port of the loopback interface by which the server is reached
     * @param callLimit how long the store lets a call take
     */
    LeaseStore open(int port, Duration callLimit);

    /** Gives up what {@link #open} needs. All store objects are closed before. */
    default void close() throws Exception {}
}
