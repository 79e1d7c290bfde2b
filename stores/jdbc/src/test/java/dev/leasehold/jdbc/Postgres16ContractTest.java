package dev.leasehold.jdbc;

import dev.leasehold.tck.LeaseStoreContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
@DisplayName("PostgreSQL 16")
class Postgres16ContractTest extends LeaseStoreContract {
    @RegisterExtension
    private static final FreshDatabase DATABASE = FreshDatabase.postgres(16);

    @Override
    protected StoreUnderTest storeUnderTest() {
        return DATABASE.underTest();
    }
}
