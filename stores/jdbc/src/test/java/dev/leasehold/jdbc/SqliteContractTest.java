package dev.leasehold.jdbc;

import dev.leasehold.tck.LeaseStoreContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("SQLite")
class SqliteContractTest extends LeaseStoreContract {
    @RegisterExtension
    private static final FreshDatabase DATABASE = FreshDatabase.of(Kind.SQLITE);

    @Override
    protected StoreUnderTest storeUnderTest() {
        return DATABASE.underTest();
    }
}
