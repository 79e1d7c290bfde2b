package dev.leasehold.jdbc;

import dev.leasehold.tck.LeasesContract;
import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Leases on PostgreSQL behind a pooler")
class PoolerLeasesTest extends LeasesContract {
    private static TestDatabase database;
    private static FakePooler pooler;

    @BeforeAll
    static void open() throws IOException {
        database = TestDatabase.postgres(18);
        pooler = FakePooler.to(Through.target(database.url()));
    }

    @AfterAll
    static void close() {
        pooler.close();
        database.close();
    }

    @Override
    protected StoreUnderTest storeUnderTest() {
        String url = Through.port(database.url(), pooler.port()) + "?sslmode=disable&gssEncMode=disable";
        return new SqlUnderTest(database.source(url), StoreTraits.inMovedTime());
    }
}
