package dev.leasehold.jdbc;

import dev.leasehold.tck.HostileCallersContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
@DisplayName("Hostile callers on SQLite")
class SqliteHostileCallersTest extends HostileCallersContract {
    @RegisterExtension
    private static final FreshDatabase DATABASE = FreshDatabase.of(Kind.SQLITE);

    @Override
    protected StoreUnderTest storeUnderTest() {
        return DATABASE.underTest();
    }
}
