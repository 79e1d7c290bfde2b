package dev.leasehold.jdbc;

import dev.leasehold.tck.RemoteStoreContract;
import dev.leasehold.tck.RemoteUnderTest;
import org.junit.jupiter.api.DisplayName;

@DisplayName("PostgreSQL 18 behind a network")
class Postgres18RemoteTest extends RemoteStoreContract {
    @Override
    protected RemoteUnderTest remoteUnderTest() {
        return new RemoteDatabase(TestDatabase.postgres(18));
    }
}
