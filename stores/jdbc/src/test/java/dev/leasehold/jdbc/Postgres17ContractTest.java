package dev.leasehold.jdbc;

import dev.leasehold.tck.LeaseStoreContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
@DisplayName("PostgreSQL 17")
class Postgres17ContractTest extends LeaseStoreContract {
    @RegisterExtension
    private static final FreshDatabase DATABASE = FreshDatabase.postgres(17);

    @Override
    protected StoreUnderTest storeUnderTest() {
        return DATABASE.underTest();
    }
}
