package dev.leasehold.jdbc;

import dev.leasehold.tck.HostileCallersContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
@DisplayName("Hostile callers on H2")
class H2HostileCallersTest extends HostileCallersContract {
    @RegisterExtension
    private static final FreshDatabase DATABASE = FreshDatabase.of(Kind.H2);

    @Override
    protected StoreUnderTest storeUnderTest() {
        return DATABASE.underTest();
    }
}
