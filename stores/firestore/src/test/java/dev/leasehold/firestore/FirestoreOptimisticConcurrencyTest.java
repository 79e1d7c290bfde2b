package dev.leasehold.firestore;

import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.tck.StoreUnderTest;
import dev.leasehold.tck.concurrency.ConcurrencyContract;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Concurrent calls, on Firestore in optimistic mode")
class FirestoreOptimisticConcurrencyTest extends ConcurrencyContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return new FirestoreUnderTest(Mode.OPTIMISTIC);
    }
}
