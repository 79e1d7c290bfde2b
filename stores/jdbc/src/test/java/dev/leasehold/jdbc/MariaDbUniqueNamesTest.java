package dev.leasehold.jdbc;

import dev.leasehold.tck.StoreUnderTest;
import dev.leasehold.tck.UniqueNamesContract;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
@DisplayName("Unique names on MariaDB")
class MariaDbUniqueNamesTest extends UniqueNamesContract {
    @RegisterExtension
    private static final FreshDatabase DATABASE = FreshDatabase.of(Kind.MARIADB);

    @Override
    protected StoreUnderTest storeUnderTest() {
        return DATABASE.underTest();
    }
}
