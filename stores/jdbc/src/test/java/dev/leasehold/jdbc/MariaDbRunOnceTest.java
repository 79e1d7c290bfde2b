package dev.leasehold.jdbc;

import dev.leasehold.tck.RunOnceContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
@DisplayName("Runs on MariaDB")
class MariaDbRunOnceTest extends RunOnceContract {
    @RegisterExtension
    private static final FreshDatabase DATABASE = FreshDatabase.of(Kind.MARIADB);

    @Override
    protected StoreUnderTest storeUnderTest() {
        return DATABASE.underTest();
    }
}
