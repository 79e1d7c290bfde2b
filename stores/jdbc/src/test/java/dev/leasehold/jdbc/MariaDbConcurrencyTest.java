package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import dev.leasehold.tck.StoreUnderTest;
import dev.leasehold.tck.concurrency.ConcurrencyContract;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("MariaDB")
class MariaDbConcurrencyTest extends ConcurrencyContract {
    @RegisterExtension
    private static final FreshDatabase DATABASE = FreshDatabase.of(Kind.MARIADB);

    @Override
    protected StoreUnderTest storeUnderTest() {
        return DATABASE.underTest();
    }

    @Override
    protected AutoCloseable interference(List<Key> keys) {
        return Strangers.lock(Kind.MARIADB, DATABASE.source(), keys);
    }
}
