package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import dev.leasehold.tck.StoreUnderTest;
import dev.leasehold.tck.concurrency.ConcurrencyContract;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("SQLite")
class SqliteConcurrencyTest extends ConcurrencyContract {
    @RegisterExtension
    private static final FreshDatabase DATABASE = FreshDatabase.of(Kind.SQLITE);

    @Override
    protected StoreUnderTest storeUnderTest() {
        return DATABASE.underTest();
    }

    @Override
    protected AutoCloseable interference(List<Key> keys) {
        return Strangers.lock(Kind.SQLITE, DATABASE.source(), keys);
    }
}
