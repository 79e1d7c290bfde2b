package dev.leasehold.jdbc;

import dev.leasehold.tck.RemoteStoreContract;
import dev.leasehold.tck.RemoteUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("MariaDB behind a network")
class MariaDbRemoteTest extends RemoteStoreContract {
    @Override
    protected RemoteUnderTest remoteUnderTest() {
        return new RemoteDatabase(TestDatabase.mariaDb());
    }
}
