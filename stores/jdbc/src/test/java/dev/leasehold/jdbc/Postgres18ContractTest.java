package dev.leasehold.jdbc;

import dev.leasehold.tck.LeaseStoreContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("PostgreSQL 18")
class Postgres18ContractTest extends LeaseStoreContract {
    @RegisterExtension
    private static final FreshDatabase DATABASE = FreshDatabase.postgres(18);

    @Override
    protected StoreUnderTest storeUnderTest() {
        return DATABASE.underTest();
    }
}
