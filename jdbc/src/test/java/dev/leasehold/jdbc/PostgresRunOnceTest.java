package dev.leasehold.jdbc;

import dev.leasehold.tck.RunOnceContract;
import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Runs on PostgreSQL")
class PostgresRunOnceTest extends RunOnceContract {

    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.postgres(18);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Override
    protected StoreUnderTest storeUnderTest() {
        return new SqlUnderTest(database.source(), StoreTraits.inMovedTime().tellingWakeUps());
    }
}
