package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import dev.leasehold.tck.StoreUnderTest;
import dev.leasehold.tck.concurrency.ConcurrencyContract;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("PostgreSQL")
class PostgresConcurrencyTest extends ConcurrencyContract {
    @RegisterExtension
    private static final FreshDatabase DATABASE = FreshDatabase.of(Kind.POSTGRESQL);

    @BeforeAll
    static void slowDown() throws SQLException {
        Slowness.install(DATABASE.source());
    }

    @Override
    protected StoreUnderTest storeUnderTest() {
        return DATABASE.underTest();
    }

    @Override
    protected AutoCloseable interference(List<Key> keys) {
        return Strangers.lock(Kind.POSTGRESQL, DATABASE.source(), keys);
    }
}
