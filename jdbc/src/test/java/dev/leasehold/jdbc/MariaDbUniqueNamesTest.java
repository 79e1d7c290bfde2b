package dev.leasehold.jdbc;

import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import dev.leasehold.tck.UniqueNamesContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Unique names on MariaDB")
class MariaDbUniqueNamesTest extends UniqueNamesContract {

    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.mariaDb();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Override
    protected StoreUnderTest storeUnderTest() {
        return new SqlUnderTest(database.source(), StoreTraits.inMovedTime());
    }
}
