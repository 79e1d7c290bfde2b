package dev.leasehold.jdbc;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.RemoteUnderTest;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A fresh database of a server that can be reached in several ways. */
final class RemoteDatabase implements RemoteUnderTest {
    private final TestDatabase database;

    RemoteDatabase(TestDatabase database) {
        this.database = database;
    }

    @Override
    public InetSocketAddress server() {
        return Through.target(database.url());
    }

    @Override
    public LeaseStore open(int port, Duration callLimit) {
        return JdbcLeaseStore.builder(database.source(Through.port(database.url(), port)))
                .callLimit(callLimit)
                .open();
    }

    @Override
    public void close() {
        database.close();
    }
}
